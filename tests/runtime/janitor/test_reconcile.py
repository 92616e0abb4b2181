"""The pending list is the truth: the janitor repairs every damage to the side keys that can be repaired."""

import pytest
from event_loop import run_async
from pipeline_driver import PipelineDriver
from targets import Target

from penstock.janitor import reconcile
from penstock.keys import PARKED, READY, SUSPECT
from penstock.maintenance import unowned
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance

pytestmark = pytest.mark.wire

HISTORY = "stream: {retention: {keep: {length: 1000}}}"
FOREIGN = "stream: {foreign_workers: true}"


def reconciled(driver: PipelineDriver) -> dict[str, int]:
    """The repairs, counted by name."""
    counts = {name: int(driver.counted(janitor.RECONCILED, name)) for name in janitor.RECONCILED.labels[1].words}
    return {name: count for name, count in counts.items() if count}


def delay(driver: PipelineDriver, name: str, *, wait: int = 60_000) -> None:
    pack = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', '{}'}))"
    driver.ask("EVAL", pack, 1, driver.keys.bodies, name)
    driver.ask("ZADD", driver.keys.delayed, driver.now() + wait, name)


def test_a_round_without_differences_changes_nothing(target: Target) -> None:
    """Running, parked, ready, suspect, delayed and crashed messages stay, in any number of rounds."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(5)
    worker = driver.join_group()
    driver.read(worker, 4)
    driver.park(ids[:1], wait=60_000)
    driver.ask("HSET", driver.keys.crashed, ids[0], "crash")
    driver.ask("HSET", driver.keys.uncharged, ids[1], 1)
    for entry, state in ((ids[1], READY), (ids[2], SUSPECT)):
        driver.ask("XCLAIM", driver.keys.stream, driver.keys.group, state, 0, entry, "JUSTID")
    delay(driver, "a")
    before = driver.everything(), driver.pending()

    run_async(driver.round(3))

    assert (driver.everything(), driver.pending()) == before
    assert reconciled(driver) == {}


def test_a_parked_message_without_a_due_time_is_due_now(target: Target) -> None:
    """Somebody deleted the due times; a retry too early is better than none."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(3)
    driver.read(driver.join_group())
    driver.park(ids, wait=60_000)
    driver.ask("DEL", driver.keys.parked)

    run_async(driver.round(2))

    assert driver.ready == ids
    assert {one.deliveries for one in driver.pending().values()} == {1}
    assert reconciled(driver) == {"parked_without_due": 3}


def test_a_due_time_of_a_message_that_is_not_parked_is_removed(target: Target) -> None:
    """The entry stays with its owner."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(2)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("ZADD", driver.keys.parked, driver.now() + 60_000, ids[0])

    run_async(driver.round())

    assert driver.due() == {}
    assert driver.owned(worker) == ids
    assert reconciled(driver) == {"due_without_parked": 1}


@pytest.mark.parametrize("spec", ["", HISTORY, FOREIGN], ids=["until-done", "history", "foreign workers"])
def test_deleting_the_parked_consumer_loses_no_message(target: Target, spec: str) -> None:
    """XGROUP DELCONSUMER drops its entries; the due times show them, also in a kept history."""
    driver = PipelineDriver(target, spec)
    run_async(driver.round())
    ids = driver.add(4)
    worker = driver.join_group()
    driver.read(worker)
    driver.park(ids[:3], wait=60_000)
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, PARKED)

    run_async(driver.round())

    assert driver.ready == ids[:3]
    assert driver.due() == {}
    assert driver.owned(worker) == ids[3:]
    assert driver.entries() == ids
    assert reconciled(driver) == {"pending_nowhere": 3}


def test_a_message_that_is_brought_back_has_all_attempts_and_a_new_fence(target: Target) -> None:
    """Its delivery count is above all earlier ones and charges no attempt, also the second time."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.add(1)
    worker = driver.join_group()
    driver.read(worker)
    counts = []
    for _ in range(3):
        driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, READY)
        driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, worker)
        run_async(driver.round())
        _, _, (_, count, uncharged, *_) = driver.claim(worker)
        assert count - uncharged == 1, "its first attempt"
        counts.append(count)
    assert counts == sorted(set(counts))
    assert counts[0] > 1


@pytest.mark.parametrize("deleted", ["uncharged", "position"])
def test_counts_never_repeat_after_their_record_is_deleted(target: Target, deleted: str) -> None:
    """The highest count is stored in two places."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.add(1)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, worker)
    run_async(driver.round())
    (first,) = (one.deliveries for one in driver.pending().values())

    driver.ask("DEL", getattr(driver.keys, deleted))
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, READY)
    run_async(driver.round())

    (second,) = (one.deliveries for one in driver.pending().values())
    assert second > first


def test_an_old_settle_does_not_touch_a_message_that_was_brought_back(target: Target) -> None:
    """Its former worker may still run it, and learns the new owner."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(2)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, worker)
    run_async(driver.round())
    (count,) = {one.deliveries for one in driver.pending().values()}

    assert driver.settle(worker, dict.fromkeys(ids, 1)) == [[READY, count]] * 2
    assert driver.entries() == ids


def test_messages_that_foreign_workers_finished_are_deleted(target: Target) -> None:
    """Foreign workers acknowledge and delete in two steps, or only acknowledge."""
    driver = PipelineDriver(target, FOREIGN)
    run_async(driver.round())
    ids = driver.add(3)
    driver.read("other-1")
    driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids[:2])

    run_async(driver.round())

    assert driver.entries() == driver.owned("other-1") == ids[2:]
    assert reconciled(driver) == {"finished_elsewhere": 2}


def test_with_another_group_finished_entries_stay(target: Target) -> None:
    """The other group may still need them; they are neither brought back nor deleted."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "auditors", "0")
    ids = driver.add(2)
    worker = driver.join_group()
    driver.read(worker)
    driver.settle(worker, dict.fromkeys(ids, 1))

    run_async(driver.round(2))

    assert driver.entries() == ids
    assert driver.pending() == {}
    assert reconciled(driver) == {}


def test_messages_finished_while_another_group_read_are_not_run_again(target: Target) -> None:
    """Somebody on call read the stream with their own group, and removed it."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(5)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "debug", "$")
    driver.settle(worker, dict.fromkeys(ids[:4], 1))
    driver.ask("XGROUP", "DESTROY", driver.keys.stream, "debug")

    run_async(driver.round(2))

    assert driver.entries() == driver.owned(worker) == ids[4:]
    assert reconciled(driver) == {"finished_beside": 4}


def test_finished_messages_of_a_kept_history_stay(target: Target) -> None:
    """An entry that is not pending is finished there."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    ids = driver.add(3)
    worker = driver.join_group()
    driver.read(worker)
    driver.settle(worker, dict.fromkeys(ids, 1))

    run_async(driver.round(2))

    assert driver.pending() == {}
    assert driver.entries() == ids


def test_a_message_that_was_given_back_in_a_kept_history_comes_back(target: Target) -> None:
    """Settling removes the record of uncharged deliveries; an entry with one is unfinished."""
    driver = PipelineDriver(target, HISTORY)
    run_async(driver.round())
    ids = driver.add(2)
    worker = driver.join_group()
    driver.read(worker)
    keys = (driver.keys.stream, driver.keys.uncharged)
    driver.run("give_back", keys, driver.keys.group, worker, ids[0], ids[0], ids[0], 1, 0, READY)
    driver.settle(worker, {ids[1]: 1})
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, READY)

    run_async(driver.round())

    assert driver.ready == ids[:1]
    assert reconciled(driver) == {"pending_nowhere": 1}


def test_records_of_deleted_entries_are_removed(target: Target) -> None:
    """Somebody acknowledged and deleted the entries."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.ask("HSET", driver.keys.uncharged, "1-1", 3, "~count", 2000)
    driver.ask("HSET", driver.keys.crashed, "1-2", "crash")

    run_async(driver.round())

    assert driver.uncharged() == {}
    assert driver.ask("HGET", driver.keys.uncharged, "~count") is not None
    assert driver.number("EXISTS", driver.keys.crashed) == 0


def test_a_delayed_message_without_a_due_time_is_due_now(target: Target) -> None:
    """Somebody deleted the due times; the messages enter the stream now."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    for name in "abc":
        delay(driver, name)
    driver.ask("DEL", driver.keys.delayed)

    run_async(driver.round(2))

    assert len(driver.entries()) == 3
    assert reconciled(driver) == {"delayed_without_due": 3}


def test_a_due_time_without_a_message_is_removed_and_counted_as_lost(target: Target) -> None:
    """There is no body left to send."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    for name in "abc":
        delay(driver, name)
    driver.ask("HDEL", driver.keys.bodies, "b")

    run_async(driver.round())

    assert driver.listed("ZRANGE", driver.keys.delayed, 0, -1) == ["a", "c"]
    assert reconciled(driver) == {"due_without_body": 1}
    assert driver.counted(maintenance.LOST, "deleted") == 1


@pytest.mark.parametrize(
    "deleted", ["parked", "uncharged", "alive", "delayed", "crashed", "finished", "position", "bodies"]
)
def test_any_side_key_may_be_deleted(target: Target, deleted: str) -> None:
    """Only the bodies of delayed messages are lost; new consumers do everything else."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(6)
    worker = driver.join_group()
    driver.read(worker, 5)
    driver.park(ids[:2], wait=60_000)
    driver.ask("HSET", driver.keys.crashed, ids[0], "crash")
    keys = (driver.keys.stream, driver.keys.uncharged)
    driver.run("give_back", keys, driver.keys.group, worker, ids[2], ids[2], ids[2], 1, 0, READY)
    delay(driver, "a")
    driver.ask("DEL", getattr(driver.keys, deleted))

    run_async(driver.round(2))

    unfinished = set(driver.pending())
    assert unfinished >= set(ids[:5])
    assert driver.counted(maintenance.LOST, "deleted") == (deleted == "bodies")
    if deleted == "alive":
        assert driver.run("renew", [driver.keys.alive], worker, 10_000) == 0, "the consumer must register again"
    if deleted == "delayed":
        assert len(driver.entries()) == 7, "the delayed message entered the stream"


@pytest.mark.parametrize("value", ["x", "", "5", "-", "+", "1-1-1", "99999999999999999999-1", "~parked", "\x00"])
def test_foreign_values_in_side_keys_are_removed(target: Target, value: str) -> None:
    """Somebody else added them; the other messages are processed."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(2)
    worker = driver.join_group()
    driver.read(worker)
    driver.park(ids[:1])
    for score, later in ((1, False), (driver.now() + 60_000, True)):
        driver.ask("ZADD", driver.keys.parked, score, f"{value}~" if later else value)
    driver.ask("HSET", driver.keys.uncharged, value, 1)
    driver.ask("HSET", driver.keys.crashed, value, "crash")
    driver.ask("ZADD", driver.keys.delayed, 1, value)
    driver.ask("ZADD", driver.keys.alive, 1, f"{value}!")

    run_async(driver.round(2))

    assert driver.ready == ids[:1]
    assert driver.owned(worker) == ids[1:]
    assert driver.due() == driver.uncharged() == {}
    assert driver.number("EXISTS", driver.keys.crashed, driver.keys.delayed) == 0


def test_it_reads_page_by_page_and_starts_again(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences behind its position are found in the next pass."""
    monkeypatch.setattr(reconcile, "PAGE", 4)
    monkeypatch.setattr(unowned, "ENTRIES", 4)
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(30)
    worker = driver.join_group()
    driver.read(worker)

    async def scenario() -> None:
        async with driver.janitor() as rounds:
            for _ in range(12):
                await rounds.make()
            assert driver.owned(worker) == ids
            driver.ask("XACK", driver.keys.stream, driver.keys.group, *ids[3:27])
            for _ in range(12):
                await rounds.make()

    run_async(scenario())
    assert driver.ready == ids[3:27]
    assert driver.owned(worker) == ids[:3] + ids[27:]


def test_large_entries_make_small_pages(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page ends with the entry that fills it."""
    monkeypatch.setattr(unowned, "BYTES", 50_000)
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(10, size=30_000)
    worker = driver.join_group()
    driver.read(worker)
    driver.ask("XGROUP", "DELCONSUMER", driver.keys.stream, driver.keys.group, worker)
    keys = driver.keys

    script_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
    page = driver.run("reconcile_stream", script_keys, keys.group, "-", 500, 50_000, "force")

    assert page == [f"({ids[1]}", 2, 0, 0, 0, 0]


def test_bodies_of_pending_entries_are_not_read(target: Target) -> None:
    """A body of 100 MB would block Redis in every round. Between pending entries nothing is read."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    driver.add(5, size=1_000_000)
    driver.read(driver.join_group(), 4)

    keys = driver.keys
    script_keys = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
    page = driver.run("reconcile_stream", script_keys, keys.group, "-", 500, 1, "force")

    assert page == ["", 0, 0, 0, 0, 0], "a page of one byte reaches the end"


def test_ids_of_deleted_entries_do_not_make_the_backlog_smaller(target: Target) -> None:
    """Somebody trims a stream that another group reads: what is gone no longer counts as finished."""
    driver = PipelineDriver(target)
    run_async(driver.round())
    ids = driver.add(30)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, "audit", "0")
    worker = driver.join_group()
    driver.read(worker, 20)
    driver.settle(worker, dict.fromkeys(ids[:10], 1))
    driver.ask("XDEL", driver.keys.stream, *ids[3:7])
    before = driver.pending()

    async def rounds() -> None:
        async with driver.janitor() as janitor:
            for _ in range(20):
                await janitor.make()

    run_async(rounds())

    kept = driver.listed("SMEMBERS", driver.keys.finished)
    if counts_lag(driver):
        assert sorted(kept) == sorted([*ids[:3], *ids[7:10]])
    driver.ask("XDEL", driver.keys.stream, *ids[20:])
    run_async(rounds())
    kept = driver.listed("SMEMBERS", driver.keys.finished)
    assert sorted(kept) == sorted([*ids[:3], *ids[7:10]])
    assert driver.pending() == before


def counts_lag(driver: PipelineDriver) -> bool:
    """Before Redis 7 the number of unread entries is unknown; then unread ones hide missing finished ones."""
    return "lag" in driver.listed("XINFO", "GROUPS", driver.keys.stream)[0]
