"""The janitor measures a pipeline: the backlog by state, and the age of the oldest message."""

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


async def export(driver: PipelineDriver, *, leading: bool = True) -> None:
    links, metrics = driver.links(), driver.janitor_metrics()
    metrics.leads = leading
    try:
        await driver.monitor(links, metrics).update()
    finally:
        await links.close()


def test_every_state_is_counted(target: Target) -> None:
    """Each message counts in one state; states are no consumers; measuring changes no key."""
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

    counts = run_async(measured(driver))

    assert driver.everything() == before
    assert (counts.length, counts.new(until_done=True), counts.pending) == (20, 4, 16)
    assert (counts.running, counts.parked, counts.ready, counts.suspect, counts.delayed, counts.dead) == (
        9,
        4,
        2,
        1,
        1,
        1,
    )
    assert (counts.consumers, counts.expired, counts.foreign, counts.groups) == (3, 1, 1, 1)
    assert counts.next_expiry is not None
    assert 0 < counts.next_expiry <= 60_000
    assert counts.next_due is not None
    assert 0 < counts.next_due <= 30_000


def test_without_a_stream_every_number_is_zero(target: Target) -> None:
    """A missing stream and a missing group are no errors."""
    driver = PipelineDriver(target)
    counts = run_async(measured(driver))
    assert (counts.length, counts.new(until_done=True), counts.pending, counts.oldest, counts.groups) == (0, 0, 0, 0, 0)


def test_without_the_group_all_messages_are_new(target: Target) -> None:
    driver = PipelineDriver(target)
    driver.add(3)
    counts = run_async(measured(driver))
    assert (counts.new(until_done=True), counts.groups) == (3, 0)


@pytest.mark.parametrize("spec", ["", HISTORY], ids=["until-done", "history"])
def test_the_oldest_message_is_one_that_could_run_now(target: Target, spec: str) -> None:
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
    """Otherwise the measurements of two janitors would count twice."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(3)

    run_async(export(driver, leading=False))
    assert math.isnan(driver.counted(stream.NEW))

    run_async(export(driver))
    assert driver.counted(stream.NEW) == driver.counted(stream.STREAM_LENGTH) == 3

    driver.janitor_metrics().lead(ours=False)
    assert math.isnan(driver.counted(stream.NEW))


def test_a_measurement_that_ends_as_standby_is_not_exported(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another janitor became leader before Redis answered."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(3)
    metrics = driver.janitor_metrics()

    async def measure_late(link: Link, keys: PipelineKeys) -> Measurement:
        metrics.lead(ours=False)
        return await measure(link, keys)

    monkeypatch.setattr("penstock.janitor.monitor.measure", measure_late)

    async def scenario() -> None:
        links = driver.links()
        await driver.monitor(links, metrics).update()
        await links.close()

    run_async(scenario())
    assert math.isnan(driver.counted(stream.NEW))
    assert driver.counted(janitor.JANITOR_LEADER) == 0


def test_unknown_values_are_nan(target: Target) -> None:
    """Such as a lag that Redis cannot count; new messages follow from the other numbers."""
    driver = PipelineDriver(target)
    driver.create_group()
    ids = driver.add(6)
    driver.read(driver.join_group(), 2)
    driver.ask("XDEL", driver.keys.stream, ids[3])

    run_async(export(driver))

    assert math.isnan(driver.counted(stream.LAG))
    assert driver.counted(stream.NEW) == 3


def counts_added_entries(driver: PipelineDriver) -> bool:
    """Redis counts added entries from version 7 on."""
    return "entries-added" in driver.listed("XINFO", "STREAM", driver.keys.stream)


def test_unread_messages_that_a_foreign_producer_trims_are_counted(target: Target) -> None:
    """MAXLEN drops the oldest, pending or unread; from Redis 7 on the leader detects it, once."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(20)
    driver.read(driver.join_group(), 5)
    counted = []

    for sent, length in ((0, 20), (0, 7), (4, 11), (3, 11), (0, 11)):
        driver.add(sent)
        driver.ask("XTRIM", driver.keys.stream, "MAXLEN", length)
        run_async(export(driver))
        counted.append(driver.counted(maintenance.LOST, "trimmed"))

    assert counted == ([0, 8, 8, 11, 11] if counts_added_entries(driver) else [0] * 5)
    assert driver.counted(stream.NEW) == 11


def test_messages_that_a_lossy_pipeline_drops_are_not_lost(target: Target) -> None:
    """The spec allows it, and the producer counts them."""
    driver = PipelineDriver(target, LOSSY)
    driver.create_group()
    driver.add(20)
    driver.read(driver.join_group(), 5)
    run_async(export(driver))
    driver.ask("XTRIM", driver.keys.stream, "MAXLEN", 7)
    run_async(export(driver))
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
            settled = held[:: 1 + number % 2]
            driver.settle(worker, dict.fromkeys(settled, 1))
            held = [entry for entry in held if entry not in settled]
        run_async(export(driver))

    assert driver.counted(maintenance.LOST, "trimmed") == 0


def test_an_outdated_measurement_is_not_served(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """No value is better than an old one."""
    monkeypatch.setattr("penstock.janitor.monitor.STALE", 3.0)
    driver = PipelineDriver(target)
    driver.create_group()

    async def scenario() -> None:
        links = driver.links()
        monitor = driver.monitor(links)
        assert monitor.last() is None
        await monitor.update()
        assert monitor.last() is not None
        await until(lambda: monitor.last() is None, "the measurement is outdated")
        await links.close()

    run_async(scenario())
