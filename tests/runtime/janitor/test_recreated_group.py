"""The janitor recreates a destroyed group and brings all remaining messages back."""

import logging

import pytest
from event_loop import run_async
from logged import events
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.janitor import reconcile, rounds
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import maintenance

pytestmark = pytest.mark.wire


def destroy(driver: PipelineDriver) -> None:
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, driver.keys.group)


def test_everything_comes_back_in_one_round(
    target: Target, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """New, running and parked messages, page by page without a pause; counted and logged as an error."""
    monkeypatch.setattr(reconcile, "ENTRIES", 3)
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
    monkeypatch.setattr(reconcile, "ENTRIES", 2)
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
    keys = driver.keys
    script_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
    result = driver.run("ensure", script_keys, keys.group, "until-done")
    assert result == "again"

    run_async(driver.round())

    assert driver.ready == ids


def test_a_kept_history_is_not_run_again(target: Target) -> None:
    """Each round saves the position up to which every message is finished."""
    driver = PipelineDriver(target, "stream: {retention: {keep: {length: 1000}}}")
    run_async(driver.round())
    ids = driver.add(5)
    worker = driver.join_group()
    driver.read(worker, 4)
    driver.settle(worker, {ids[0]: 1, ids[1]: 1, ids[3]: 1})
    run_async(driver.round())
    destroy(driver)

    run_async(driver.round())

    assert driver.read(driver.join_group()) == ids[2:], "no unfinished message is skipped, and few run twice"
    assert driver.counted(maintenance.GROUP_RECREATED) == 1


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
