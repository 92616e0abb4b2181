"""The measurement of a pipeline: the backlog by state, and the age of the oldest message."""

import math

import pytest
from event_loop import run_async, until
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.keys import READY, SUSPECT, PipelineKeys
from penstock.maintenance.measure import Measurement, measure
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, stream

HISTORY = "stream: {retention: {keep: {length: 1000}}}"
LOSSY = "stream: {backlog: {when_full: drop-oldest, lossy: true}}"


async def measured(driver: PipelineDriver) -> Measurement:
    link = driver.link()
    try:
        return await measure(link, driver.keys)
    finally:
        await link.close()


async def looked(driver: PipelineDriver, *, leading: bool = True) -> None:
    links, tally = driver.links(), driver.janitor_metrics()
    tally.leads = leading
    try:
        await driver.monitor(links, tally).look()
    finally:
        await links.close()


def test_every_state_is_counted(target: Target) -> None:
    """Each message in one state; states are no consumers; measuring changes nothing."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(20)
    worker = driver.join_group(lease=60_000)
    driver.read(worker, 15)
    driver.join_group(lease=-1)
    driver.read("other", 1)
    driver.park(ids[:4], wait=60_000)
    for entry, state in zip(ids[4:7], (READY, READY, SUSPECT), strict=True):
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, state, 0, entry, "JUSTID")
    driver.ask("ZADD", driver.keys.delayed, driver.now() + 30_000, "a")
    driver.ask("XADD", driver.keys.dead, "*", "data", "{}")
    before = driver.everything()

    one = run_async(measured(driver))

    assert driver.everything() == before
    assert (one.length, one.new(until_done=True), one.pending) == (20, 4, 16)
    assert (one.running, one.parked, one.ready, one.suspect, one.delayed, one.dead) == (9, 4, 2, 1, 1, 1)
    assert (one.consumers, one.expired, one.foreign, one.groups) == (3, 1, 1, 1)
    assert one.next_expiry is not None
    assert 0 < one.next_expiry <= 60_000
    assert one.next_due is not None
    assert 0 < one.next_due <= 30_000


def test_without_a_stream_all_is_zero(target: Target) -> None:
    """No stream and no group are valid answers."""
    driver = PipelineDriver(target)
    one = run_async(measured(driver))
    assert (one.length, one.new(until_done=True), one.pending, one.oldest, one.groups) == (0, 0, 0, 0, 0)


def test_without_the_group_all_messages_are_new(target: Target) -> None:
    """They wait since they were sent."""
    driver = PipelineDriver(target)
    driver.add(3)
    one = run_async(measured(driver))
    assert (one.new(until_done=True), one.groups) == (3, 0)


@pytest.mark.parametrize("spec", ["", HISTORY], ids=["until-done", "history"])
def test_the_oldest_message_that_could_run_now(target: Target, spec: str) -> None:
    """New, ready and suspect messages wait; running, parked and finished ones do not."""
    driver = PipelineDriver(target, spec)
    driver.create_group()

    def waits(seconds: float) -> bool:
        return abs(run_async(measured(driver)).oldest / 1000 - seconds) < 30

    old = [
        str(driver.ask("XADD", driver.keys.stream, f"{driver.now() - n}-0", "data", "{}"))
        for n in (9 * 10**6, 5 * 10**6)
    ]
    assert waits(9000)
    worker = driver.join_group()
    driver.read(worker, 1)
    assert waits(5000)
    driver.read(worker, 1)
    assert waits(0)
    driver.park(old[:1], wait=60_000)
    assert waits(0)
    claim = ("XCLAIM", driver.keys.stream, driver.keys.group)
    driver.ask(*claim, READY, 0, old[0], "IDLE", 700_000, "JUSTID")
    assert waits(700)
    driver.ask(*claim, SUSPECT, 0, old[1], "IDLE", 900_000, "JUSTID")
    assert waits(900)


def test_only_the_leader_exports(target: Target) -> None:
    """Measurements of two janitors would be counted twice; both have them."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(3)

    run_async(looked(driver, leading=False))
    assert math.isnan(driver.counted(stream.NEW))

    run_async(looked(driver))
    assert driver.counted(stream.NEW) == driver.counted(stream.STREAM_LENGTH) == 3

    driver.janitor_metrics().lead(ours=False)
    assert math.isnan(driver.counted(stream.NEW))


def test_a_measurement_that_ends_as_standby_is_not_exported(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lead was lost between the call and its answer."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(3)
    tally = driver.janitor_metrics()

    async def measure_late(link: Link, keys: PipelineKeys) -> Measurement:
        tally.lead(ours=False)
        return await measure(link, keys)

    monkeypatch.setattr("penstock.janitor.monitor.measure", measure_late)

    async def scenario() -> None:
        links = driver.links()
        await driver.monitor(links, tally).look()
        await links.close()

    run_async(scenario())
    assert math.isnan(driver.counted(stream.NEW))
    assert driver.counted(janitor.JANITOR_LEADER) == 0


def test_unknown_values_are_nan(target: Target) -> None:
    """A lag that Redis lost count of; new messages in a stream that keeps nothing follow from the rest."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(6)
    driver.read(driver.join_group(), 2)
    driver.ask("XDEL", driver.keys.stream, ids[3])

    run_async(looked(driver))

    assert math.isnan(driver.counted(stream.LAG))
    assert driver.counted(stream.NEW) == 3


def counts_added_entries(driver: PipelineDriver) -> bool:
    """Redis counts added entries from version 7 on."""
    return "entries-added" in driver.listed("XINFO", "STREAM", driver.keys.stream)


def test_unread_messages_that_a_foreign_producer_trims_are_counted(target: Target) -> None:
    """Its MAXLEN drops the oldest, pending and unread; from Redis 7 on the leader detects that, once."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(20)
    driver.read(driver.join_group(), 5)
    counted = []

    for sent, length in ((0, 20), (0, 7), (4, 11), (3, 11), (0, 11)):
        driver.add(sent)
        driver.ask("XTRIM", driver.keys.stream, "MAXLEN", length)
        run_async(looked(driver))
        counted.append(driver.counted(maintenance.LOST, "trimmed"))

    assert counted == ([0, 8, 8, 11, 11] if counts_added_entries(driver) else [0] * 5)
    assert driver.counted(stream.NEW) == 11


def test_messages_that_a_lossy_pipeline_drops_are_not_lost(target: Target) -> None:
    """The spec allows it, and the producer counts them."""
    driver = PipelineDriver(target, LOSSY)
    driver.create_group()
    driver.add(20)
    driver.read(driver.join_group(), 5)
    run_async(looked(driver))
    driver.ask("XTRIM", driver.keys.stream, "MAXLEN", 7)
    run_async(looked(driver))
    assert driver.counted(maintenance.LOST, "trimmed") == 0


def test_finished_messages_never_count_as_lost(target: Target) -> None:
    """In whatever order messages are sent, read and finished."""
    driver = PipelineDriver(target)
    driver.create_group()
    worker = driver.join_group()

    held: list[str] = []
    for number in range(60):
        driver.add(number % 4)
        held += driver.read(worker, number % 3 + 1)
        if number % 5 == 0 and held:
            chosen = held[:: 1 + number % 2]
            driver.settle(worker, dict.fromkeys(chosen, 1))
            held = [entry for entry in held if entry not in chosen]
        run_async(looked(driver))

    assert driver.counted(maintenance.LOST, "trimmed") == 0


def test_an_outdated_measurement_is_not_served(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is better than an old one."""
    monkeypatch.setattr("penstock.janitor.monitor.STALE", 3.0)
    driver = PipelineDriver(target)
    driver.create_group()

    async def scenario() -> None:
        links = driver.links()
        sight = driver.monitor(links)
        assert sight.last() is None
        await sight.look()
        assert sight.last() is not None
        await until(lambda: sight.last() is None, "it is too old")
        await links.close()

    run_async(scenario())
