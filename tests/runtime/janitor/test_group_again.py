"""A destroyed group is recreated, and everything that is left comes back."""

import logging

import pytest
from logged import events
from promises import keep
from stage import Stage
from targets import Target

from penstock.janitor import reconcile, rounds
from penstock.observe.events import Event
from penstock_spec.kinds.pipeline.metrics import maintenance

pytestmark = pytest.mark.wire


def destroy(stage: Stage) -> None:
    stage.ask("XGROUP", "DESTROY", stage.keys.stream, stage.keys.group)


def test_everything_comes_back_in_one_round(
    target: Target, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """New, running and parked messages alike, page after page without a pause; it is counted, and told as an error."""
    monkeypatch.setattr(reconcile, "ENTRIES", 3)
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(20)
    stage.read(stage.life(), 12)
    stage.park(ids[:4], wait=60_000)
    destroy(stage)

    with caplog.at_level(logging.ERROR):
        keep(stage.round())

    assert stage.ready == ids
    assert stage.due() == {}
    assert set(stage.uncharged()) == set(ids)
    assert stage.counted(maintenance.GROUP_RECREATED) == 1
    assert Event.GROUP_RECREATED in events(caplog)
    assert stage.number("HEXISTS", stage.keys.position, "left") == 0


def test_messages_sent_meanwhile_are_new(target: Target) -> None:
    """Only messages from before the recreation are brought back."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(2)
    destroy(stage)
    keep(stage.round())
    later = stage.add(2)

    keep(stage.round())

    assert stage.ready == ids
    assert stage.read(stage.life()) == later


def test_the_next_janitor_continues_where_one_died(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it was stands in Redis.

    With foreign workers, an entry that is pending nowhere counts as finished; but not one that is still to be brought
    back.
    """
    monkeypatch.setattr(reconcile, "ENTRIES", 2)
    monkeypatch.setattr(rounds, "MOST_PAGES", 2)
    stage = Stage(target, "stream: {foreign_workers: true}")
    keep(stage.round())
    ids = stage.add(10)
    stage.read("other")
    destroy(stage)

    keep(stage.round())
    assert stage.ready == ids[:4]
    later = stage.add(2)
    stage.read("other")
    stage.ask("XACK", stage.keys.stream, stage.keys.group, *later)
    keep(stage.round())
    keep(stage.round())
    assert stage.entries() == ids + later
    keep(stage.round())

    assert stage.ready == ids
    keep(stage.round(6))
    assert stage.ready == stage.entries() == ids, "and what others finished since is gone"


def test_messages_come_back_if_a_worker_recreated_the_group(target: Target) -> None:
    """A worker may be the first to notice; the janitor finds what it left."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(3)
    stage.read(stage.life())
    destroy(stage)
    keys = stage.keys
    around = (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished)
    made = stage.run("ensure", around, keys.group, "until-done")
    assert made == "again"

    keep(stage.round())

    assert stage.ready == ids


def test_a_kept_history_is_not_run_again(target: Target) -> None:
    """In each round the janitor saves the position up to which everything is finished."""
    stage = Stage(target, "stream: {retention: {keep: {length: 1000}}}")
    keep(stage.round())
    ids = stage.add(5)
    worker = stage.life()
    stage.read(worker, 4)
    stage.settle(worker, {ids[0]: 1, ids[1]: 1, ids[3]: 1})
    keep(stage.round())
    destroy(stage)

    keep(stage.round())

    assert stage.read(stage.life()) == ids[2:], "nothing unfinished is passed over, and little comes twice"
    assert stage.counted(maintenance.GROUP_RECREATED) == 1


def test_a_deleted_stream(target: Target) -> None:
    """Its messages are gone; later ones are processed, delayed ones too."""
    stage = Stage(target)
    keep(stage.round())
    ids = stage.add(3)
    stage.read(stage.life())
    stage.park(ids[:1], wait=60_000)
    stage.ask("DEL", stage.keys.stream)
    (first,) = stage.add()

    keep(stage.round())
    (second,) = stage.add()

    assert stage.ready == [first]
    assert stage.due() == {}
    assert stage.read(stage.life()) == [second]


def test_all_keys_are_gone(target: Target) -> None:
    """After a FLUSHALL everything works as on the first day."""
    stage = Stage(target)
    keep(stage.round())
    stage.add(3)
    target.flush()

    keep(stage.round())
    ids = stage.add(2)

    assert stage.read(stage.life()) == ids
    assert stage.counted(maintenance.GROUP_RECREATED) == 0
