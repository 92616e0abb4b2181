"""The janitor recreates a destroyed group and brings all remaining messages back."""

import logging

import pytest
from event_loop import run_async
from logged import events
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.janitor import rounds
from penstock.keys import PARKED, READY
from penstock.maintenance import unowned
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import maintenance

pytestmark = pytest.mark.wire


HISTORY = "stream: {retention: {keep: {length: 1000}}}"


def destroy(driver: PipelineDriver) -> None:
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)


def test_everything_comes_back_in_one_round(
    target: Target, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """New, running and parked messages, page by page without a pause; counted and logged as an error."""
    monkeypatch.setattr(unowned, "ENTRIES", 3)
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(20)
    driver.read(driver.join_group(), 12)
    driver.park(ids[:4], wait=60_000)
    destroy(driver)

    with caplog.at_level(logging.ERROR):
        run_async(driver.round())

    assert driver.ready == ids
    assert driver.due() == {}
    assert set(driver.uncharged()) == set(ids)
    assert driver.counted(maintenance.GROUP_RECREATED) == 1
    assert Event.GROUP_RECREATED in events(caplog)
    assert driver.number("HEXISTS", driver.keys.position, "left") == 0


def test_messages_sent_afterwards_are_new(target: Target) -> None:
    """Only earlier messages are brought back."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(2)
    destroy(driver)
    run_async(driver.round())
    later = driver.add(2)

    run_async(driver.round())

    assert driver.ready == ids
    assert driver.read(driver.join_group()) == later


def test_the_next_janitor_continues_where_one_died(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The position is stored in Redis.

    With foreign workers, an entry that is not pending counts as finished, unless it is still to be brought back.
    """
    monkeypatch.setattr(unowned, "ENTRIES", 2)
    monkeypatch.setattr(rounds, "MOST_PAGES", 2)
    driver = PipelineDriver(target, "stream: {foreign_workers: true}")
    run_async(driver.round())
    ids = driver.add(10)
    driver.read("other")
    destroy(driver)

    run_async(driver.round())
    assert driver.ready == ids[:4]
    later = driver.add(2)
    driver.read("other")
    driver.ask("XACK", driver.keys.stream, driver.keys.group, *later)
    run_async(driver.round())
    run_async(driver.round())
    assert driver.entries() == ids + later
    run_async(driver.round())

    assert driver.ready == ids
    run_async(driver.round(6))
    assert driver.ready == driver.entries() == ids, "later entries that others finished are deleted"


def test_messages_come_back_if_a_worker_recreated_the_group(target: Target) -> None:
    """The worker left a mark for the janitor."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(3)
    driver.read(driver.join_group())
    destroy(driver)
    assert driver.ensure() == "again"

    run_async(driver.round())

    assert driver.ready == ids


def test_a_kept_history_is_not_run_again(target: Target) -> None:
    """Each round records which messages are unfinished; only these and later ones come back, none by a new read."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    ids = driver.add(5)
    worker = driver.join_group()
    driver.read(worker, 4)
    driver.settle(worker, {ids[0]: 1, ids[1]: 1, ids[3]: 1})
    run_async(driver.round())
    destroy(driver)

    run_async(driver.round())

    assert driver.read(driver.join_group()) == []
    assert driver.ready == [ids[2], ids[4]], "the third was running, the fifth unread"
    assert driver.counted(maintenance.GROUP_RECREATED) == 1


def test_attempts_and_fences_of_a_history_go_on(target: Target) -> None:
    """However often the group is destroyed, no delivery count occurs twice, and ended attempts still count."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    retried, running = driver.add(2)
    driver.read(driver.join_group())
    driver.park([retried])
    run_async(driver.round())
    fences = [(retried, 1), (running, 1)]
    for _ in range(3):
        worker = driver.join_group()
        _, _, *claimed = driver.claim(worker)
        fences += [(id_, count) for id_, count, *_ in claimed]
        attempts = {id_: count - uncharged for id_, count, uncharged, *_ in claimed}
        assert attempts.pop(retried) == 2
        assert set(attempts.values()) <= {1}
        run_async(driver.round())
        destroy(driver)
        run_async(driver.round())
    assert len(set(fences)) == len(fences)
    assert sorted(driver.ready) == [retried, running]


def test_deleted_consumers_of_a_history_lose_nothing(target: Target) -> None:
    """`~parked`, `~ready` and `~suspect` are deleted: the messages come back although nothing else misses them."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    parked, promoted, running = driver.add(3)
    worker = driver.join_group()
    driver.read(worker)
    keys = (driver.keys.stream, driver.keys.parked, driver.keys.uncharged, driver.keys.crashed)
    for id_, wait in ((parked, 60_000), (promoted, 0)):
        assert driver.run("park", keys, driver.keys.group, worker, 0, id_, id_, id_, 1, wait, 0, 0) == [1]
    run_async(driver.round())
    assert driver.ready == [promoted]
    for state in (PARKED, READY):
        driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, state)
    run_async(driver.round(2))
    assert driver.ready == [parked, promoted]
    assert driver.owned(worker) == [running]
    _, _, *claimed = driver.claim(worker)
    assert [count - uncharged for _, count, uncharged, *_ in claimed] == [2, 2], "the first attempts still count"


def test_a_group_that_was_set_back_goes_forward(target: Target) -> None:
    """Entries that it delivered again have ended, or come back with a fence of their own."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    ids = driver.add(4)
    worker = driver.join_group()
    driver.read(worker)
    driver.settle(worker, {ids[0]: 1, ids[1]: 1})
    run_async(driver.round())
    driver.ask("XGROUP", "SETID", driver.keys.stream, driver.keys.group, "0")
    assert driver.read(worker, 3) == ids[:3]

    run_async(driver.round())

    assert driver.ready == [ids[2]]
    assert driver.owned(worker) == [ids[3]], "it was not delivered again"
    assert driver.read(worker) == []
    assert driver.pending()[ids[2]][1] >= 1000
    later = driver.add(2)
    assert driver.read(worker) == later


@pytest.mark.parametrize(
    "spec", [HISTORY, "", "stream: {foreign_workers: true}"], ids=["history", "until-done", "foreign"]
)
def test_deliveries_that_a_failover_lost_come_back(target: Target, spec: str) -> None:
    """A worker knows the last delivered entry; the new server has the entries, and none of their last deliveries."""
    driver = PipelineDriver(target, spec)
    run_async(driver.round())
    ids = driver.add(6)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "auditors", "0")
    worker = driver.join_group()
    driver.read(worker, 2)
    driver.settle(worker, {ids[0]: 1})
    run_async(driver.round())
    assert driver.read(worker, 1) == ids[2:3], "the first new read, of an entry that was delivered before"

    assert driver.ensure(ids[4]) == "again"
    run_async(driver.round(2))

    assert driver.ready == ids[1:5]
    assert driver.read(worker) == ids[5:]
    assert driver.number("HEXISTS", driver.keys.position, "left") == 0


def test_a_message_that_came_back_since_the_record_is_not_finished(target: Target) -> None:
    """The janitor recorded what was pending while nothing owned it. Its own record says that it is unfinished."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    keys, group = driver.keys, driver.keys.group
    [parked] = driver.add(1)
    worker = driver.join_group()
    driver.read(worker)
    sides = (keys.stream, keys.parked, keys.uncharged, keys.crashed)
    assert driver.run("park", sides, group, worker, 0, parked, parked, parked, 1, 60_000, 0, 0) == [1]
    driver.ask("XGROUP", "DELCONSUMER", keys.stream, group, PARKED)
    assert driver.run("remember", (keys.stream, keys.uncharged, keys.position), group, 100, 5) == 0
    driver.run("reconcile_due", (*sides, keys.position), group, 0, 100)
    assert driver.ready == [parked]

    driver.ask("XGROUP", "SETID", keys.stream, group, "0")
    assert driver.read(worker) == [parked]
    assert driver.ensure(parked) == "again"

    assert driver.ready == [parked]


def test_a_new_stream_with_lower_ids_is_read_from_its_start(target: Target) -> None:
    """The record of the deleted stream, whose ids were higher, says nothing about it."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    driver.add(2)
    driver.read(driver.join_group())
    run_async(driver.round())
    driver.ask("DEL", driver.keys.stream)
    for id_ in ("5-1", "6-1"):
        driver.ask("XADD", driver.keys.stream, id_, "data", "{}")

    run_async(driver.round(2))

    assert driver.ready == ["5-1", "6-1"]


def test_finished_messages_that_another_group_reads_do_not_come_back(target: Target) -> None:
    """A group that was set back skips them, and they stay for the other group."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(5)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "auditors", "0")
    worker = driver.join_group()
    driver.read(worker, 4)
    driver.settle(worker, dict.fromkeys(ids[1:4], 1))
    driver.ask("XGROUP", "SETID", driver.keys.stream, driver.keys.group, "0")
    assert driver.read(worker, 1) == ids[:1]

    assert driver.ensure(ids[3]) == "again"
    run_async(driver.round(2))

    assert driver.ready == ids[:1]
    assert driver.read(worker) == ids[4:]
    assert driver.entries() == ids


def test_trimming_waits_for_a_recreated_group(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unfinished messages that are not pending yet are not trimmed."""
    monkeypatch.setattr(unowned, "ENTRIES", 2)
    monkeypatch.setattr(rounds, "MOST_PAGES", 1)
    driver = PipelineDriver(target, "stream: {retention: {keep: {length: 1}}}\njanitor: {trim: {every: 1s}}")
    run_async(driver.round())
    ids = driver.add(6)
    driver.read(driver.join_group())
    destroy(driver)
    run_async(driver.round())
    assert driver.ready == ids[:2]
    worker = driver.join_group()
    _, _, *claimed = driver.claim(worker)
    driver.settle(worker, {id_: count for id_, count, *_ in claimed})
    run_async(driver.round(2))
    assert driver.ready == ids[2:]


def test_a_deleted_stream_is_recreated(target: Target) -> None:
    """Its messages are lost; later messages are processed."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(3)
    driver.read(driver.join_group())
    driver.park(ids[:1], wait=60_000)
    driver.ask("DEL", driver.keys.stream)
    (first,) = driver.add()

    run_async(driver.round())
    (second,) = driver.add()

    assert driver.ready == [first]
    assert driver.due() == {}
    assert driver.read(driver.join_group()) == [second]


def test_after_a_flush_everything_starts_again(target: Target) -> None:
    """FLUSHALL is no vanished group."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.add(3)
    target.flush()

    run_async(driver.round())
    ids = driver.add(2)

    assert driver.read(driver.join_group()) == ids
    assert driver.counted(maintenance.GROUP_RECREATED) == 0
