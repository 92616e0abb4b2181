"""When the memory of Redis is full, all steps that finish or continue work still succeed, so that room can return."""

from collections.abc import Callable

import pytest
from redis_state import KEYS
from steps import DONE, LEASE, Answer, Delivery, Steps

from penstock.janitor.leader_lock import lock_of
from penstock.keys import PARKED, READY, SUSPECT
from penstock.wire.errors import Refused

DEDUP = "{work}:dedup:job-1"
OTHER = "other~00000001"

Step = Callable[[Steps, Delivery], Answer]


def fill(steps: Steps) -> None:
    """Make Redis refuse commands that need memory, and forget its scripts."""
    steps.ask("CONFIG", "SET", "maxmemory", 1)
    steps.ask("SCRIPT", "FLUSH")
    with pytest.raises(Refused, match="OOM"):
        steps.send()


@pytest.fixture
def full(own: Steps) -> Steps:
    """Return the scripts on a full Redis with a worker that holds three messages."""
    own.begin("worker", 3)
    own.ask("SET", DEDUP, "01ID")
    fill(own)
    return own


def held(steps: Steps) -> Delivery:
    """Return one of the deliveries that the worker holds."""
    return Delivery(next(iter(steps.pending())), "worker", 1)


def settle(steps: Steps, one: Delivery) -> Answer:
    return steps.settle([one])[0]


def settle_with(steps: Steps, one: Delivery) -> Answer:
    return steps.settle_with(one)


def bury(steps: Steps, one: Delivery) -> Answer:
    return steps.bury(one, dedup=DEDUP, own="01ID")


@pytest.mark.parametrize("step", [settle, settle_with, bury], ids=lambda step: step.__name__)
def test_messages_can_be_finished(full: Steps, step: Step) -> None:
    """The result or dead letter replaces the message."""
    assert step(full, held(full)) == DONE
    assert len(full.entries()) == len(full.pending()) == 2
    assert len(full.dead()) == (step is bury)


def test_steps_that_only_add_are_refused(full: Steps) -> None:
    """A stream that keeps history would only grow: every try is refused without a change."""
    one = held(full)
    before = (full.pending(), full.entries(), full.dead(), full.ask("GET", DEDUP))
    for _ in range(2):
        with pytest.raises(Refused, match="OOM"):
            full.settle_with(one, deletes=False)
        with pytest.raises(Refused, match="OOM"):
            full.bury(one, dedup=DEDUP, own="01ID", deletes=False)
    assert (full.pending(), full.entries(), full.dead(), full.ask("GET", DEDUP)) == before


def test_failed_messages_can_be_parked_and_claimed_again(full: Steps) -> None:
    """Their slot is free in the meantime."""
    one = held(full)
    assert full.park([one], uncharged=1, crashed=True) == [DONE]
    assert full.pending()[one.id] == (PARKED, 1)
    assert full.promote().promoted == 1
    assert full.pending()[one.id] == (SUSPECT, 1)
    claims = full.claim("worker")
    assert claims.ids == [one.id]


def test_messages_can_be_given_back_and_claimed(full: Steps) -> None:
    one = held(full)
    assert full.give_back([one]) == [DONE]
    claims = full.claim("worker")
    assert (claims.ids, claims.claimed[0].uncharged) == ([one.id], 1)


def test_consumers_can_register_and_renew(full: Steps) -> None:
    """Otherwise no worker could start to make room, and running workers would count as dead."""
    assert full.register(OTHER) == 1
    lease = full.alive()["worker"]
    assert full.renew("worker", 3 * LEASE) == 1
    assert full.alive()["worker"] > lease + LEASE
    assert len(full.read(OTHER)) == 0
    assert full.deregister(OTHER, cut=1) == 1


def test_lost_consumers_are_taken_over(own: Steps) -> None:
    """Their lease has expired, or they never had one."""
    [first, second] = own.begin("worker", 2)
    own.give_back([second])
    own.ask("XCLAIM", KEYS.stream, KEYS.group, OTHER, 0, second.id)
    own.lose("worker")
    fill(own)
    assert own.overdue() == ["worker"]
    assert own.alive()[OTHER] < 0
    assert own.take_over("worker") == "done"
    assert own.pending() == {first.id: (SUSPECT, 1), second.id: (OTHER, 2)}


def test_an_attempt_alone_is_possible(own: Steps) -> None:
    """One worker empties itself, and its claim is marked."""
    [one] = own.begin("gone")
    own.crash("gone")
    own.register("worker")
    fill(own)
    assert own.claim("worker", attempts=1, how="busy").waiting == 1
    claims = own.claim("worker", attempts=1, how="alone")
    assert claims.ids == [one.id]
    assert own.crashed() == {one.id: "2"}


def test_an_unrecorded_group_is_found(own: Steps) -> None:
    """A worker finds it at its start."""
    own.ask("DEL", KEYS.position)
    fill(own)
    assert own.ensure() == own.ensure() == "there"


def test_a_missing_group_is_created_again(own: Steps) -> None:
    """Its delivered messages are restored."""
    assert own.ensure() == "there"
    own.begin("worker", 3)
    own.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    fill(own)
    assert own.ensure() == "again"
    own.reconcile()
    assert list(own.pending().values()) == 3 * [(READY, 1000)]


def test_a_ghost_is_removed(own: Steps) -> None:
    """It is a foreign consumer that owns nothing."""
    own.send()
    [one] = own.read("foreign")
    own.settle([one])
    fill(own)
    assert own.run("remove_ghost", (KEYS.stream, KEYS.alive), KEYS.group, "foreign", 0, 10) == [b"done", 0, 0]


def test_delayed_messages_stay_and_promotion_continues(own: Steps) -> None:
    """They would add to the stream; the result holds the refusal, and they enter when there is room."""
    first, second = own.begin("worker", 2)
    own.park([first, second])
    delay = (KEYS.stream, KEYS.delayed, KEYS.bodies, KEYS.position)
    for id_ in ("a", "b"):
        own.run("send", delay, KEYS.group, "until-done", 100, "reject", 0, id_, 1, 2, "data", "{}")
        own.ask("ZADD", KEYS.delayed, 2, id_)
    own.ask("ZADD", KEYS.delayed, 1, "no body")
    fill(own)
    for promoted, lost in ((2, 1), (0, 0)):
        result = own.promote()
        assert (result.promoted, result.entered, result.lost, result.ready, result.next_due) == (
            promoted,
            0,
            lost,
            True,
            None,
        )
        assert result.refused is not None
        assert result.refused.code == "OOM"
    assert own.entries() == [first.id, second.id]
    own.ask("CONFIG", "SET", "maxmemory", 0)
    result = own.promote()
    assert (result.entered, result.refused) == (2, None)


def test_reconcile_repairs_the_due_times(own: Steps) -> None:
    """Parked messages have a due time again, and messages missing from the pending list come back."""
    parked, lost = own.begin("worker", 2)
    own.park([parked])
    own.ask("DEL", KEYS.parked)
    own.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
    fill(own)
    own.reconcile()
    assert set(own.parked()) == {parked.id}
    assert own.pending() == {parked.id: (PARKED, 1), lost.id: (READY, 1000)}


def test_a_janitor_leads_and_trims(own: Steps) -> None:
    """It acquires and renews the lock, and trims history."""
    done = own.begin("worker", 3)
    own.settle(done, deletes=False)
    fill(own)
    lock = lock_of("test", [KEYS])
    for _ in range(2):
        assert own.run("lead", [lock], "me", 10_000) == 1
    assert 0 < own.ask("PTTL", lock) <= 10_000
    keys = (KEYS.stream, KEYS.position, KEYS.parked, KEYS.uncharged, KEYS.crashed)
    removed, *_ = own.run("trim", keys, "length", 1, 100, 100_000, KEYS.group)
    assert removed == 2


def test_a_replay_is_refused(full: Steps) -> None:
    """A replayed dead letter would be one more message."""
    assert full.bury(held(full)) == DONE
    [(dead, _)] = full.ask("XRANGE", KEYS.dead, "-", "+")
    with pytest.raises(Refused, match="OOM"):
        full.replay(dead.decode(), "data", "{}")
    assert len(full.dead()) == 1
