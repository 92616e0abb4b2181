"""The measurement of a pipeline: the backlog by state, and the age of the oldest message."""

import math

import pytest
from promises import keep, until
from stage import Stage
from targets import Target

from penstock.keys import READY, SUSPECT, PipelineKeys
from penstock.maintenance.measure import Measurement, measure
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, stream

HISTORY = "stream: {retention: {keep: {length: 1000}}}"
LOSSY = "stream: {backlog: {when_full: drop-oldest, lossy: true}}"


async def measured(stage: Stage) -> Measurement:
    link = stage.link()
    try:
        return await measure(link, stage.keys)
    finally:
        await link.close()


async def looked(stage: Stage, *, leading: bool = True) -> None:
    links, tally = stage.links(), stage.tally()
    tally.leads = leading
    try:
        await stage.sight(links, tally).look()
    finally:
        await links.close()


def test_every_state_is_counted(target: Target) -> None:
    """Each message in one state; states are no consumers; measuring changes nothing."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(20)
    worker = stage.life(lease=60_000)
    stage.read(worker, 15)
    stage.life(lease=-1)
    stage.read("other", 1)
    stage.park(ids[:4], wait=60_000)
    for entry, state in zip(ids[4:7], (READY, READY, SUSPECT), strict=True):
        stage.ask("XCLAIM", stage.keys.stream, stage.keys.group, state, 0, entry, "JUSTID")
    stage.ask("ZADD", stage.keys.delayed, stage.now() + 30_000, "a")
    stage.ask("XADD", stage.keys.dead, "*", "data", "{}")
    before = stage.everything()

    one = keep(measured(stage))

    assert stage.everything() == before
    assert (one.length, one.new(until_done=True), one.pending) == (20, 4, 16)
    assert (one.running, one.parked, one.ready, one.suspect, one.delayed, one.dead) == (9, 4, 2, 1, 1, 1)
    assert (one.consumers, one.expired, one.foreign, one.groups) == (3, 1, 1, 1)
    assert one.next_expiry is not None
    assert 0 < one.next_expiry <= 60_000
    assert one.next_due is not None
    assert 0 < one.next_due <= 30_000


def test_without_a_stream_all_is_zero(target: Target) -> None:
    """No stream and no group are valid answers."""
    stage = Stage(target)
    one = keep(measured(stage))
    assert (one.length, one.new(until_done=True), one.pending, one.oldest, one.groups) == (0, 0, 0, 0, 0)


def test_without_the_group_all_messages_are_new(target: Target) -> None:
    """They wait since they were sent."""
    stage = Stage(target)
    stage.add(3)
    one = keep(measured(stage))
    assert (one.new(until_done=True), one.groups) == (3, 0)


@pytest.mark.parametrize("spec", ["", HISTORY], ids=["until-done", "history"])
def test_the_oldest_message_that_could_run_now(target: Target, spec: str) -> None:
    """New, ready and suspect messages wait; running, parked and finished ones do not."""
    stage = Stage(target, spec)
    stage.make()

    def waits(seconds: float) -> bool:
        return abs(keep(measured(stage)).oldest / 1000 - seconds) < 30

    old = [
        str(stage.ask("XADD", stage.keys.stream, f"{stage.now() - n}-0", "data", "{}")) for n in (9 * 10**6, 5 * 10**6)
    ]
    assert waits(9000)
    worker = stage.life()
    stage.read(worker, 1)
    assert waits(5000)
    stage.read(worker, 1)
    assert waits(0)
    stage.park(old[:1], wait=60_000)
    assert waits(0)
    claim = ("XCLAIM", stage.keys.stream, stage.keys.group)
    stage.ask(*claim, READY, 0, old[0], "IDLE", 700_000, "JUSTID")
    assert waits(700)
    stage.ask(*claim, SUSPECT, 0, old[1], "IDLE", 900_000, "JUSTID")
    assert waits(900)


def test_only_the_leader_exports(target: Target) -> None:
    """Measurements of two janitors would be counted twice; both have them."""
    stage = Stage(target)
    stage.make()
    stage.add(3)

    keep(looked(stage, leading=False))
    assert math.isnan(stage.counted(stream.NEW))

    keep(looked(stage))
    assert stage.counted(stream.NEW) == stage.counted(stream.STREAM_LENGTH) == 3

    stage.tally().lead(ours=False)
    assert math.isnan(stage.counted(stream.NEW))


def test_a_measurement_that_ends_as_standby_is_not_exported(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lead was lost between the call and its answer."""
    stage = Stage(target)
    stage.make()
    stage.add(3)
    tally = stage.tally()

    async def measure_late(link: Link, keys: PipelineKeys) -> Measurement:
        tally.lead(ours=False)
        return await measure(link, keys)

    monkeypatch.setattr("penstock.janitor.monitor.measure", measure_late)

    async def promise() -> None:
        links = stage.links()
        await stage.sight(links, tally).look()
        await links.close()

    keep(promise())
    assert math.isnan(stage.counted(stream.NEW))
    assert stage.counted(janitor.JANITOR_LEADER) == 0


def test_unknown_values_are_nan(target: Target) -> None:
    """A lag that Redis lost count of; new messages in a stream that keeps nothing follow from the rest."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(6)
    stage.read(stage.life(), 2)
    stage.ask("XDEL", stage.keys.stream, ids[3])

    keep(looked(stage))

    assert math.isnan(stage.counted(stream.LAG))
    assert stage.counted(stream.NEW) == 3


def counts_added_entries(stage: Stage) -> bool:
    """Redis counts added entries from version 7 on."""
    return "entries-added" in stage.listed("XINFO", "STREAM", stage.keys.stream)


def test_unread_messages_that_a_foreign_producer_trims_are_counted(target: Target) -> None:
    """Its MAXLEN drops the oldest, pending and unread; from Redis 7 on the leader detects that, once."""
    stage = Stage(target)
    stage.make()
    stage.add(20)
    stage.read(stage.life(), 5)
    counted = []

    for sent, length in ((0, 20), (0, 7), (4, 11), (3, 11), (0, 11)):
        stage.add(sent)
        stage.ask("XTRIM", stage.keys.stream, "MAXLEN", length)
        keep(looked(stage))
        counted.append(stage.counted(maintenance.LOST, "trimmed"))

    assert counted == ([0, 8, 8, 11, 11] if counts_added_entries(stage) else [0] * 5)
    assert stage.counted(stream.NEW) == 11


def test_messages_that_a_lossy_pipeline_drops_are_not_lost(target: Target) -> None:
    """The spec allows it, and the producer counts them."""
    stage = Stage(target, LOSSY)
    stage.make()
    stage.add(20)
    stage.read(stage.life(), 5)
    keep(looked(stage))
    stage.ask("XTRIM", stage.keys.stream, "MAXLEN", 7)
    keep(looked(stage))
    assert stage.counted(maintenance.LOST, "trimmed") == 0


def test_finished_messages_never_count_as_lost(target: Target) -> None:
    """In whatever order messages are sent, read and finished."""
    stage = Stage(target)
    stage.make()
    worker = stage.life()

    held: list[str] = []
    for number in range(60):
        stage.add(number % 4)
        held += stage.read(worker, number % 3 + 1)
        if number % 5 == 0 and held:
            chosen = held[:: 1 + number % 2]
            stage.settle(worker, dict.fromkeys(chosen, 1))
            held = [entry for entry in held if entry not in chosen]
        keep(looked(stage))

    assert stage.counted(maintenance.LOST, "trimmed") == 0


def test_an_outdated_measurement_is_not_served(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is better than an old one."""
    monkeypatch.setattr("penstock.janitor.monitor.STALE", 3.0)
    stage = Stage(target)
    stage.make()

    async def promise() -> None:
        links = stage.links()
        sight = stage.sight(links)
        assert sight.last() is None
        await sight.look()
        assert sight.last() is not None
        await until(lambda: sight.last() is None, "it is too old")
        await links.close()

    keep(promise())
