"""The janitor measures a pipeline: the backlog by state, and the age of the oldest message."""

import math

import pytest
from event_loop import run_async, until
from pipeline_driver import PipelineDriver
from servers import Server, wait_for
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

    async def measure_late(link: Link, keys: PipelineKeys, large: bytes) -> Measurement:
        metrics.lead(ours=False)
        return await measure(link, keys, large)

    monkeypatch.setattr("penstock.janitor.monitor.measure", measure_late)

    async def scenario() -> None:
        links = driver.links()
        await driver.monitor(links, metrics).update()
        await links.close()

    run_async(scenario())
    assert math.isnan(driver.counted(stream.NEW))
    assert driver.counted(janitor.JANITOR_LEADER) == 0


def test_what_stays_for_another_group_is_exported(target: Target) -> None:
    """The number of groups, and the finished messages that no longer count as backlog."""
    driver = PipelineDriver(target)
    driver.create_group()
    driver.add(5)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "oncall-debug", "0")
    worker = driver.join_group()
    driver.settle(worker, dict.fromkeys(driver.read(worker, 3), 1))

    run_async(export(driver))

    assert driver.counted(stream.GROUPS) == 2
    assert driver.counted(stream.FINISHED) == 3
    assert (driver.counted(stream.STREAM_LENGTH), driver.counted(stream.NEW)) == (5, 2)


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


@pytest.mark.parametrize("finished", [True, False], ids=["all-done", "some-running"])
def test_a_restarted_server_that_forgot_what_was_read_is_no_loss(server: Server, *, finished: bool) -> None:
    """Redis 7.0 writes the count of read entries to its append-only file only when it rewrites that file."""
    driver = PipelineDriver(server)
    driver.create_group()
    driver.add()
    worker = driver.join_group()
    driver.settle(worker, dict.fromkeys(driver.read(worker), 1))
    run_async(export(driver))
    server.ask("BGREWRITEAOF")
    wait_for(lambda: "aof_rewrite_in_progress:0" in str(server.ask("INFO", "persistence")), "the file is rewritten")

    driver.add(500)
    held = driver.read(worker, 500)
    driver.settle(worker, dict.fromkeys(held if finished else held[:300], 1))
    server.restart()
    run_async(export(driver))
    driver.settle(worker, dict.fromkeys(held, 1))
    run_async(export(driver))

    assert driver.counted(maintenance.LOST, "trimmed") == 0
    assert driver.counted(stream.NEW) == 0

    driver.add(20)
    driver.ask("XTRIM", driver.keys.stream, "MAXLEN", 7)
    run_async(export(driver))
    assert driver.counted(maintenance.LOST, "trimmed") == (13 if counts_added_entries(driver) else 0)


def body_reads(server: Server) -> int:
    """How often commands ran that copy bodies. Redis 6 does not tell XINFO STREAM from XINFO GROUPS."""
    counted = {"cmdstat_xrange", "cmdstat_xinfo|stream"}
    lines = [line.split(":") for line in str(server.ask("INFO", "commandstats")).split() if "calls=" in line]
    return sum(int(values.split(",")[0].removeprefix("calls=")) for name, values in lines if name in counted)


@pytest.mark.parametrize("state", ["unread", "running", "finished"])
@pytest.mark.parametrize("spec", ["", HISTORY], ids=["until-done", "history"])
def test_a_large_entry_is_read_once(server: Server, spec: str, state: str) -> None:
    """Reading a body of 100 MB blocks Redis for a second. A measurement passes what it read to the next one."""
    driver = PipelineDriver(server, spec)
    driver.create_group()
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "other", "0")
    worker = driver.join_group()
    first, _ = driver.add(2, size=5_000_000)
    if state != "unread":
        driver.read(worker, 1)
    if state == "finished":
        driver.settle(worker, {first: 1})

    async def scenario() -> list[tuple[int, int | None, int]]:
        link, large, results = driver.link(), b"", []
        for _ in range(3):
            before = body_reads(server)
            result = await measure(link, driver.keys, large)
            large = result.large
            results.append((body_reads(server) - before, result.new(until_done=not spec), int(result.oldest > 0)))
        await link.close()
        return results

    reads, new, waits = zip(*run_async(scenario()), strict=True)
    assert reads[0] > 0
    assert reads[1:] == (0, 0)
    # Redis 6 does not count the new entries of a stream that keeps history.
    unread = 2 if state == "unread" else 1
    assert set(new) <= {unread, None} if spec else set(new) == {unread}
    assert set(waits) == {1}


def test_a_large_last_entry_is_read_once(server: Server) -> None:
    """XINFO STREAM copies the last entry, too."""
    driver = PipelineDriver(server)
    driver.create_group()
    driver.add()
    driver.add(1, size=5_000_000)

    async def calls() -> list[int]:
        link, large, results = driver.link(), b"", []
        for _ in range(3):
            before = body_reads(server)
            large = (await measure(link, driver.keys, large)).large
            results.append(body_reads(server) - before)
        await link.close()
        return results

    first, *later = run_async(calls())
    assert first >= 1
    assert later == [1, 1], "the small head is read, and nothing else"


def test_another_process_does_not_read_a_large_entry_again(server: Server) -> None:
    """The leading janitor has read it, and others start with what it wrote."""
    driver = PipelineDriver(server)
    driver.create_group()
    driver.add(1, size=5_000_000)
    run_async(export(driver))
    before = body_reads(server)
    assert run_async(measured(driver)).new(until_done=True) == 1
    assert body_reads(server) == before


def test_a_large_entry_that_left_is_replaced(server: Server) -> None:
    """When the head is read or done, the next one counts, large or small."""
    driver = PipelineDriver(server)
    driver.create_group()
    worker = driver.join_group()
    large = b""

    async def hours() -> int:
        nonlocal large
        link = driver.link()
        result = await measure(link, driver.keys, large)
        large = result.large
        await link.close()
        return round(result.oldest / 3_600_000)

    for age, size in ((9, 300_000), (8, 300_000), (7, 0), (6, 300_000)):
        driver.ask("XADD", driver.keys.stream, f"{driver.now() - age * 3_600_000}-0", "data", "x" * size)
    waited = [run_async(hours())]
    for _ in range(4):
        held = driver.read(worker, 1)
        waited.append(run_async(hours()))
        driver.settle(worker, {held[0]: 1})
        waited.append(run_async(hours()))
    assert waited == [9, 8, 8, 7, 7, 6, 6, 0, 0]


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
