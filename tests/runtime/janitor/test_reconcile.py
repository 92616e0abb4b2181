"""The pending list is the truth: whatever others did to the indexes, everything that can be saved is saved."""

import pytest
from promises import keep
from stage import Stage
from targets import Target

from penstock.janitor import reconcile
from penstock.keys import PARKED, READY, SUSPECT
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance

pytestmark = pytest.mark.wire

HISTORY = "stream: {retention: {keep: {length: 1000}}}"
FOREIGN = "stream: {foreign_workers: true}"


def reconciled(stage: Stage) -> dict[str, int]:
    """Everything that was repaired, by name."""
    counts = {word: int(stage.counted(janitor.RECONCILED, word)) for word in janitor.RECONCILED.labels[1].words}
    return {word: count for word, count in counts.items() if count}


def delay(stage: Stage, name: str, *, wait: int = 60_000) -> None:
    pack = "return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack({'data', '{}'}))"
    stage.ask("EVAL", pack, 1, stage.keys.bodies, name)
    stage.ask("ZADD", stage.keys.delayed, stage.now() + wait, name)


def test_a_round_without_differences_changes_nothing(target: Target) -> None:
    """Running, parked, ready, suspect, delayed and crashed messages stay as they are, in any number of rounds."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(5)
    worker = stage.life()
    stage.read(worker, 4)
    stage.park(ids[:1], wait=60_000)
    stage.ask("HSET", stage.keys.crashed, ids[0], "crash")
    stage.ask("HSET", stage.keys.uncharged, ids[1], 1)
    for entry, state in ((ids[1], READY), (ids[2], SUSPECT)):
        stage.ask("XCLAIM", stage.keys.stream, stage.keys.group, state, 0, entry, "JUSTID")
    delay(stage, "a")
    before = stage.everything(), stage.pending()

    keep(stage.round(3))

    assert (stage.everything(), stage.pending()) == before
    assert reconciled(stage) == {}


def test_a_parked_message_without_a_due_time_is_due_now(target: Target) -> None:
    """Somebody deleted the due times: late is better than never."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(3)
    stage.read(stage.life())
    stage.park(ids, wait=60_000)
    stage.ask("DEL", stage.keys.parked)

    keep(stage.round(2))

    assert stage.ready == ids
    assert {one.deliveries for one in stage.pending().values()} == {1}
    assert reconciled(stage) == {"parked_without_due": 3}


def test_a_due_time_of_a_message_that_is_not_parked_is_removed(target: Target) -> None:
    """The entry stays with its owner."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(2)
    worker = stage.life()
    stage.read(worker)
    stage.ask("ZADD", stage.keys.parked, stage.now() + 60_000, ids[0])

    keep(stage.round())

    assert stage.due() == {}
    assert stage.owned(worker) == ids
    assert reconciled(stage) == {"due_without_parked": 1}


@pytest.mark.parametrize("spec", ["", HISTORY, FOREIGN], ids=["until-done", "history", "foreign workers"])
def test_deleting_the_parked_consumer_loses_nothing(target: Target, spec: str) -> None:
    """XGROUP DELCONSUMER drops the consumer's entries; due times show what was parked, also in a kept history."""
    stage = Stage(target, spec)
    keep(stage.round())
    ids = stage.add(4)
    worker = stage.life()
    stage.read(worker)
    stage.park(ids[:3], wait=60_000)
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, PARKED)

    keep(stage.round())

    assert stage.ready == ids[:3]
    assert stage.due() == {}
    assert stage.owned(worker) == ids[3:]
    assert stage.entries() == ids
    assert reconciled(stage) == {"pending_nowhere": 3}


def test_a_message_that_is_brought_back_has_all_attempts_and_a_new_fence(target: Target) -> None:
    """Its delivery count is above all earlier ones, and none of it counts as an attempt; also the second time."""
    stage = Stage(target)
    keep(stage.round())
    stage.add(1)
    worker = stage.life()
    stage.read(worker)
    counts = []
    for _ in range(3):
        stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, READY)
        stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, worker)
        keep(stage.round())
        _, _, (_, count, uncharged, _, _, _) = stage.claim(worker)
        assert count - uncharged == 1, "its first attempt"
        counts.append(count)
    assert counts == sorted(set(counts))
    assert counts[0] > 1


@pytest.mark.parametrize("deleted", ["uncharged", "position"])
def test_counts_never_repeat_after_their_record_is_deleted(target: Target, deleted: str) -> None:
    """The highest count is recorded in two places."""
    stage = Stage(target)
    keep(stage.round())
    stage.add(1)
    worker = stage.life()
    stage.read(worker)
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, worker)
    keep(stage.round())
    (first,) = (one.deliveries for one in stage.pending().values())

    stage.ask("DEL", getattr(stage.keys, deleted))
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, READY)
    keep(stage.round())

    (second,) = (one.deliveries for one in stage.pending().values())
    assert second > first


def test_an_old_settle_does_not_touch_a_message_that_was_brought_back(target: Target) -> None:
    """The worker that had it may still run it, and learns that another owns it."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(2)
    worker = stage.life()
    stage.read(worker)
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, worker)
    keep(stage.round())
    (count,) = {one.deliveries for one in stage.pending().values()}

    assert stage.settle(worker, dict.fromkeys(ids, 1)) == [[READY, count]] * 2
    assert stage.entries() == ids


def test_messages_that_foreign_workers_finished_are_deleted(target: Target) -> None:
    """Foreign workers acknowledge and delete in two steps, or only acknowledge."""
    stage = Stage(target, FOREIGN)
    keep(stage.round())
    ids = stage.add(3)
    stage.read("other-1")
    stage.ask("XACK", stage.keys.stream, stage.keys.group, *ids[:2])

    keep(stage.round())

    assert stage.entries() == stage.owned("other-1") == ids[2:]
    assert reconciled(stage) == {"finished_elsewhere": 2}


def test_with_another_group_finished_entries_stay(target: Target) -> None:
    """The other group may still need them: they are neither brought back nor deleted."""
    stage = Stage(target)
    keep(stage.round())
    stage.ask("XGROUP", "CREATE", stage.keys.stream, "auditors", "0")
    ids = stage.add(2)
    worker = stage.life()
    stage.read(worker)
    stage.settle(worker, dict.fromkeys(ids, 1))

    keep(stage.round(2))

    assert stage.entries() == ids
    assert stage.pending() == {}
    assert reconciled(stage) == {}


def test_messages_finished_beside_another_group_are_not_run_again(target: Target) -> None:
    """Somebody on call read the stream with a group of their own, and removed it."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(5)
    worker = stage.life()
    stage.read(worker)
    stage.ask("XGROUP", "CREATE", stage.keys.stream, "debug", "$")
    stage.settle(worker, dict.fromkeys(ids[:4], 1))
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, "debug")

    keep(stage.round(2))

    assert stage.entries() == stage.owned(worker) == ids[4:]
    assert reconciled(stage) == {"finished_beside": 4}


def test_a_kept_history_is_left_alone(target: Target) -> None:
    """In a stream that keeps finished entries, an entry that is not pending is finished."""
    stage = Stage(target, HISTORY)
    keep(stage.round())
    ids = stage.add(3)
    worker = stage.life()
    stage.read(worker)
    stage.settle(worker, dict.fromkeys(ids, 1))

    keep(stage.round(2))

    assert stage.pending() == {}
    assert stage.entries() == ids


def test_a_message_that_was_given_back_in_a_kept_history_comes_back(target: Target) -> None:
    """Settling removes the record of uncharged deliveries; an entry that still has one is unfinished."""
    stage = Stage(target, HISTORY)
    keep(stage.round())
    ids = stage.add(2)
    worker = stage.life()
    stage.read(worker)
    keys = (stage.keys.stream, stage.keys.uncharged)
    stage.run("give_back", keys, stage.keys.group, worker, ids[0], ids[0], ids[0], 1, 0, READY)
    stage.settle(worker, {ids[1]: 1})
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, READY)

    keep(stage.round())

    assert stage.ready == ids[:1]
    assert reconciled(stage) == {"pending_nowhere": 1}


def test_records_of_deleted_entries_are_removed(target: Target) -> None:
    """Entries that somebody acknowledged and deleted."""
    stage = Stage(target)
    keep(stage.round())
    stage.ask("HSET", stage.keys.uncharged, "1-1", 3, "~count", 2000)
    stage.ask("HSET", stage.keys.crashed, "1-2", "crash")

    keep(stage.round())

    assert stage.uncharged() == {}
    assert stage.ask("HGET", stage.keys.uncharged, "~count") is not None
    assert stage.number("EXISTS", stage.keys.crashed) == 0


def test_a_delayed_message_without_a_due_time_is_due_now(target: Target) -> None:
    """Somebody deleted the due times: the messages enter the stream now."""
    stage = Stage(target)
    keep(stage.round())
    for name in "abc":
        delay(stage, name)
    stage.ask("DEL", stage.keys.delayed)

    keep(stage.round(2))

    assert len(stage.entries()) == 3
    assert reconciled(stage) == {"delayed_without_due": 3}


def test_a_due_time_without_a_message_is_removed_and_counted_as_lost(target: Target) -> None:
    """Nothing is left to send."""
    stage = Stage(target)
    keep(stage.round())
    for name in "abc":
        delay(stage, name)
    stage.ask("HDEL", stage.keys.bodies, "b")

    keep(stage.round())

    assert stage.listed("ZRANGE", stage.keys.delayed, 0, -1) == ["a", "c"]
    assert reconciled(stage) == {"due_without_body": 1}
    assert stage.counted(maintenance.LOST, "deleted") == 1


@pytest.mark.parametrize(
    "deleted", ["parked", "uncharged", "alive", "delayed", "crashed", "finished", "position", "bodies"]
)
def test_any_side_key_may_be_deleted(target: Target, deleted: str) -> None:
    """Only the bodies of delayed messages are lost; everything else is done in the end, by new consumers."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(6)
    worker = stage.life()
    stage.read(worker, 5)
    stage.park(ids[:2], wait=60_000)
    stage.ask("HSET", stage.keys.crashed, ids[0], "crash")
    keys = (stage.keys.stream, stage.keys.uncharged)
    stage.run("give_back", keys, stage.keys.group, worker, ids[2], ids[2], ids[2], 1, 0, READY)
    delay(stage, "a")
    stage.ask("DEL", getattr(stage.keys, deleted))

    keep(stage.round(2))

    unfinished = set(stage.pending())
    assert unfinished >= set(ids[:5])
    assert stage.counted(maintenance.LOST, "deleted") == (deleted == "bodies")
    if deleted == "alive":
        assert stage.run("renew", [stage.keys.alive], worker, 10_000) == 0, "it takes a new life"
    if deleted == "delayed":
        assert len(stage.entries()) == 7, "what was delayed has entered"


@pytest.mark.parametrize("word", ["x", "", "5", "-", "+", "1-1-1", "99999999999999999999-1", "~parked", "\x00"])
def test_foreign_values_in_side_keys_are_removed(target: Target, word: str) -> None:
    """Somebody else added them; the entries beside them are processed."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(2)
    worker = stage.life()
    stage.read(worker)
    stage.park(ids[:1])
    for score, later in ((1, False), (stage.now() + 60_000, True)):
        stage.ask("ZADD", stage.keys.parked, score, f"{word}~" if later else word)
    stage.ask("HSET", stage.keys.uncharged, word, 1)
    stage.ask("HSET", stage.keys.crashed, word, "crash")
    stage.ask("ZADD", stage.keys.delayed, 1, word)
    stage.ask("ZADD", stage.keys.alive, 1, f"{word}!")

    keep(stage.round(2))

    assert stage.ready == ids[:1]
    assert stage.owned(worker) == ids[1:]
    assert stage.due() == stage.uncharged() == {}
    assert stage.number("EXISTS", stage.keys.crashed, stage.keys.delayed) == 0


def test_it_goes_page_by_page_and_begins_again(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much there is; differences that arise behind its position are found in the next walk."""
    monkeypatch.setattr(reconcile, "PAGE", 4)
    monkeypatch.setattr(reconcile, "ENTRIES", 4)
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(30)
    worker = stage.life()
    stage.read(worker)

    async def promise() -> None:
        async with stage.janitor() as rounds:
            for _ in range(12):
                await rounds.make()
            assert stage.owned(worker) == ids
            stage.ask("XACK", stage.keys.stream, stage.keys.group, *ids[3:27])
            for _ in range(12):
                await rounds.make()

    keep(promise())
    assert stage.ready == ids[3:27]
    assert stage.owned(worker) == ids[:3] + ids[27:]


def test_large_entries_make_small_pages(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page ends with the entry that fills it."""
    monkeypatch.setattr(reconcile, "BYTES", 50_000)
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(10, size=30_000)
    worker = stage.life()
    stage.read(worker)
    stage.ask("XGROUP", "DELCONSUMER", stage.keys.stream, stage.keys.group, worker)
    keys = stage.keys

    around = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
    told = stage.run("reconcile_stream", around, keys.group, "-", 500, 50_000, "force")

    assert told == [f"({ids[1]}", 2, 0, 0, 0]
