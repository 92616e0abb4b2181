"""A Redis whose memory is full: all through which work ends or goes on is taken, or it would be full for ever."""

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
    """From now on whatever may need room is refused; scripts are to be loaded again, too."""
    steps.ask("CONFIG", "SET", "maxmemory", 1)
    steps.ask("SCRIPT", "FLUSH")
    with pytest.raises(Refused, match="OOM"):
        steps.send()


@pytest.fixture
def full(own: Steps) -> Steps:
    """A full Redis, and a worker that holds three messages."""
    own.begin("worker", 3)
    own.ask("SET", DEDUP, "01ID")
    fill(own)
    return own


def held(steps: Steps) -> Delivery:
    """One of the deliveries that the worker holds."""
    return Delivery(next(iter(steps.pending())), "worker", 1)


def settle(steps: Steps, one: Delivery) -> Answer:
    return steps.settle([one])[0]


def settle_with(steps: Steps, one: Delivery) -> Answer:
    return steps.settle_with(one)


def bury(steps: Steps, one: Delivery) -> Answer:
    return steps.bury(one, dedup=DEDUP, own="01ID")


@pytest.mark.parametrize("step", [settle, settle_with, bury], ids=lambda step: step.__name__)
def test_what_ends_leaves(full: Steps, step: Step) -> None:
    """What it leaves behind, a result or a dead letter, takes the place of the message."""
    assert step(full, held(full)) == DONE
    assert len(full.entries()) == len(full.pending()) == 2
    assert len(full.dead()) == (step is bury)


def test_where_nothing_leaves_nothing_may_be_added(full: Steps) -> None:
    """A stream that keeps history would only grow: refused, and nothing is changed, as often as it is tried."""
    one = held(full)
    before = (full.pending(), full.entries(), full.dead(), full.ask("GET", DEDUP))
    for _ in range(2):
        with pytest.raises(Refused, match="OOM"):
            full.settle_with(one, deletes=False)
        with pytest.raises(Refused, match="OOM"):
            full.bury(one, dedup=DEDUP, own="01ID", deletes=False)
    assert (full.pending(), full.entries(), full.dead(), full.ask("GET", DEDUP)) == before


def test_what_failed_waits_and_comes_again(full: Steps) -> None:
    """Its slot is free for others meanwhile."""
    one = held(full)
    assert full.park([one], uncharged=1, crashed=True) == [DONE]
    assert full.pending()[one.id] == (PARKED, 1)
    assert full.promote().promoted == 1
    assert full.pending()[one.id] == (SUSPECT, 1)
    claims = full.claim("worker")
    assert claims.ids == [one.id]


def test_what_is_given_back_is_claimed(full: Steps) -> None:
    one = held(full)
    assert full.give_back([one]) == [DONE]
    claims = full.claim("worker")
    assert (claims.ids, claims.claimed[0].uncharged) == ([one.id], 1)


def test_lives_begin_and_go_on(full: Steps) -> None:
    """Or a worker that starts again could not empty it, and those that run would be taken for dead."""
    assert full.register(OTHER) == 1
    lease = full.alive()["worker"]
    assert full.renew("worker", 3 * LEASE) == 1
    assert full.alive()["worker"] > lease + LEASE
    assert len(full.read(OTHER)) == 0
    assert full.deregister(OTHER, cut=1) == 1


def test_the_lost_are_taken_over(own: Steps) -> None:
    """Those whose lease is over, and those that never had one."""
    [first, second] = own.begin("worker", 2)
    own.give_back([second])
    own.ask("XCLAIM", KEYS.stream, KEYS.group, OTHER, 0, second.id)
    own.lose("worker")
    fill(own)
    assert own.overdue() == ["worker"]
    assert own.alive()[OTHER] < 0
    assert own.take_over("worker") == "done"
    assert own.pending() == {first.id: (SUSPECT, 1), second.id: (OTHER, 2)}


def test_a_last_attempt_is_made_alone(own: Steps) -> None:
    """One worker empties itself, and what it claims is marked."""
    [one] = own.begin("gone")
    own.crash("gone")
    own.register("worker")
    fill(own)
    assert own.claim("worker", attempts=1, how="busy").waiting == 1
    claims = own.claim("worker", attempts=1, how="alone")
    assert claims.ids == [one.id]
    assert own.crashed() == {one.id: "2"}


def test_a_group_that_nobody_noted_is_found(own: Steps) -> None:
    """Whatever a worker finds when it starts."""
    own.ask("DEL", KEYS.position)
    fill(own)
    assert own.ensure() == own.ensure() == "there"


def test_a_group_that_vanished_is_made_again(own: Steps) -> None:
    """And what it had given out is brought back."""
    assert own.ensure() == "there"
    own.begin("worker", 3)
    own.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    fill(own)
    assert own.ensure() == "again"
    own.reconcile()
    assert list(own.pending().values()) == 3 * [(READY, 1000)]


def test_a_ghost_is_removed(own: Steps) -> None:
    """A consumer of another make that owns nothing."""
    own.send()
    [one] = own.read("stranger")
    own.settle([one])
    fill(own)
    assert own.run("remove_ghost", (KEYS.stream, KEYS.alive), KEYS.group, "stranger", 0, 10) == [b"done", 0, 0]


def test_what_is_delayed_stays_and_the_rest_goes_on(own: Steps) -> None:
    """It would only add to the stream. It is told why, and enters when there is room; what has no body is dropped."""
    first, second = own.begin("worker", 2)
    own.park([first, second])
    delay = (KEYS.stream, KEYS.delayed, KEYS.bodies, KEYS.position)
    for id_ in ("a", "b"):
        own.run("send", delay, KEYS.group, "until-done", 100, "reject", 0, id_, 1, 2, "data", "{}")
        own.ask("ZADD", KEYS.delayed, 2, id_)
    own.ask("ZADD", KEYS.delayed, 1, "no body")
    fill(own)
    for promoted, lost in ((2, 1), (0, 0)):
        told = own.promote()
        assert (told.promoted, told.entered, told.lost, told.ready, told.next_due) == (promoted, 0, lost, True, None)
        assert told.refused is not None
        assert told.refused.code == "OOM"
    assert own.entries() == [first.id, second.id]
    own.ask("CONFIG", "SET", "maxmemory", 0)
    told = own.promote()
    assert (told.entered, told.refused) == (2, None)


def test_the_index_is_put_right(own: Steps) -> None:
    """What is parked has a due time again; what is pending nowhere is brought back."""
    parked, lost = own.begin("worker", 2)
    own.park([parked])
    own.ask("DEL", KEYS.parked)
    own.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
    fill(own)
    own.reconcile()
    assert set(own.parked()) == {parked.id}
    assert own.pending() == {parked.id: (PARKED, 1), lost.id: (READY, 1000)}


def test_a_janitor_leads_and_makes_room(own: Steps) -> None:
    """The lock is taken and kept, and history is trimmed."""
    done = own.begin("worker", 3)
    own.settle(done, deletes=False)
    fill(own)
    lock = lock_of("test", [KEYS])
    for _ in range(2):
        assert own.run("lead", [lock], "me", 10_000) == 1
    assert 0 < own.ask("PTTL", lock) <= 10_000
    removed, *_ = own.run("trim", (KEYS.stream, KEYS.position), "length", 1, 100, 100_000, KEYS.group)
    assert removed == 2


def test_nothing_else_enters(full: Steps) -> None:
    """A dead letter that goes back is a message more."""
    assert full.bury(held(full)) == DONE
    [(dead, _)] = full.ask("XRANGE", KEYS.dead, "-", "+")
    with pytest.raises(Refused, match="OOM"):
        full.replay(dead.decode(), "data", "{}")
    assert len(full.dead()) == 1
