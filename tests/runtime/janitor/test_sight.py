"""How much there is, state by state, and how long the oldest has waited."""

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
    """Each message in one of them; states are no consumers; and measuring changes nothing."""
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


def test_nothing_is_there_yet(target: Target) -> None:
    """No stream, no group: that is an answer too."""
    stage = Stage(target)
    one = keep(measured(stage))
    assert (one.length, one.new(until_done=True), one.pending, one.oldest, one.groups) == (0, 0, 0, 0, 0)


def test_without_the_group_all_is_new(target: Target) -> None:
    """And waits, since it was sent."""
    stage = Stage(target)
    stage.add(3)
    one = keep(measured(stage))
    assert (one.new(until_done=True), one.groups) == (3, 0)


@pytest.mark.parametrize("spec", ["", HISTORY], ids=["until-done", "history"])
def test_the_oldest_that_could_be_worked_on_now(target: Target, spec: str) -> None:
    """New, ready and suspect messages wait; running and parked ones, and finished ones that stay, do not."""
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


def test_only_the_leader_tells(target: Target) -> None:
    """Else two janitors would be counted twice; both know."""
    stage = Stage(target)
    stage.make()
    stage.add(3)

    keep(looked(stage, leading=False))
    assert math.isnan(stage.counted(stream.NEW))

    keep(looked(stage))
    assert stage.counted(stream.NEW) == stage.counted(stream.STREAM_LENGTH) == 3

    stage.tally().lead(ours=False)
    assert math.isnan(stage.counted(stream.NEW))


def test_a_look_that_ends_when_another_leads_is_not_told(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lead is lost between the question and its answer: the new leader tells, and two would be counted twice."""
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


def test_what_redis_does_not_know_is_not_told(target: Target) -> None:
    """A lag that Redis lost count of is NaN; what is new in a stream that keeps nothing follows from the rest."""
    stage = Stage(target)
    stage.make()
    ids = stage.add(6)
    stage.read(stage.life(), 2)
    stage.ask("XDEL", stage.keys.stream, ids[3])

    keep(looked(stage))

    assert math.isnan(stage.counted(stream.LAG))
    assert stage.counted(stream.NEW) == 3


def knows_what_was_added(stage: Stage) -> bool:
    """Redis counts what was added from version 7 on."""
    return "entries-added" in stage.listed("XINFO", "STREAM", stage.keys.stream)


def test_unread_messages_that_a_foreign_producer_trims_are_counted(target: Target) -> None:
    """Its own MAXLEN drops the oldest, pending and unread; from Redis 7 on that can be told, once, by whoever leads."""
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

    assert counted == ([0, 8, 8, 11, 11] if knows_what_was_added(stage) else [0] * 5)
    assert stage.counted(stream.NEW) == 11


def test_what_a_lossy_pipeline_drops_is_not_lost(target: Target) -> None:
    """The spec says that it may, and the producer counts it."""
    stage = Stage(target, LOSSY)
    stage.make()
    stage.add(20)
    stage.read(stage.life(), 5)
    keep(looked(stage))
    stage.ask("XTRIM", stage.keys.stream, "MAXLEN", 7)
    keep(looked(stage))
    assert stage.counted(maintenance.LOST, "trimmed") == 0


def test_finishing_is_never_mistaken_for_losing(target: Target) -> None:
    """Whatever order messages are sent, read, and finished in."""
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


def test_an_old_look_says_nothing(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rather no answer than one of long ago."""
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
