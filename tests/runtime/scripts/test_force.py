"""What is pending nowhere comes back by force, and no step of its earlier deliveries fits any more.

Somebody deleted a consumer with all that it owned, or the group: counts begin at one again, and with them the fences
would, were they not given beyond any count before.
"""

import pytest
from redis_state import KEYS
from steps import DONE, Another, Steps

from penstock.keys import PARKED, READY


def test_what_a_deleted_consumer_owned_comes_back_beyond_its_counts(steps: Steps) -> None:
    """As if it had never been delivered: none of its attempts is charged."""
    [one] = steps.begin("worker")
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
    assert steps.pending() == {}
    steps.reconcile()
    [[owner, count]] = steps.pending().values()
    assert (owner, count > 1) == (READY, True)
    assert steps.uncharged()[one.id] == count
    claims = steps.claim("worker")
    assert [entry.delivery.count - entry.uncharged for entry in claims.claimed] == [1]


@pytest.mark.parametrize("times", [1, 3])
def test_a_late_step_of_an_earlier_life_finds_another(steps: Steps, times: int) -> None:
    """Though the same worker has it again, and however often it was lost and brought back."""
    [first] = steps.begin("worker")
    known = [first]
    for _ in range(times):
        steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
        steps.reconcile()
        known += steps.claim("worker").deliveries
    assert len({one.count for one in known}) == times + 1
    now = known.pop()
    for late in known:
        assert steps.settle([late]) == [Another("worker", now.count)]
        assert steps.park([late]) == [Another("worker", now.count)]
    assert steps.settle([now]) == [DONE]


def test_parked_work_that_somebody_deleted_is_ready_at_once(steps: Steps) -> None:
    """Its due time, its uncharged count and its crash are of a life before."""
    batch = steps.begin("worker", 2)
    steps.park(batch, wait=60_000, uncharged=5, crashed=True)
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, PARKED)
    steps.reconcile()
    assert {owner for owner, _ in steps.pending().values()} == {READY}
    assert (steps.parked(), steps.crashed()) == ({}, {})
    assert {id_: steps.uncharged()[id_] for id_ in steps.pending()} == {i: c for i, (_, c) in steps.pending().items()}


def test_a_due_time_that_parked_does_not_own_is_dropped(steps: Steps) -> None:
    """Or the number of parked messages, which the scaler subtracts, would be wrong."""
    running, parked = steps.begin("worker", 2)
    steps.park([parked], wait=60_000)
    steps.ask("ZADD", KEYS.parked, 9e15, running.id, 9e15, "1-1")
    steps.reconcile()
    assert set(steps.parked()) == {parked.id}


def test_parked_work_without_a_due_time_is_due_now(steps: Steps) -> None:
    """The pending list is the truth, the sorted set an index."""
    batch = steps.begin("worker")
    steps.park(batch, wait=60_000)
    steps.ask("DEL", KEYS.parked)
    steps.reconcile()
    steps.promote()
    assert steps.pending() == {batch[0].id: (READY, 1)}


def test_no_fence_of_a_group_that_vanished_fits_the_new_one(steps: Steps) -> None:
    """It is made again at the stream's end; what is left comes back by force, also what nobody had read."""
    assert steps.ensure() == "there"
    old = steps.begin("worker", 2)
    steps.park(old[1:], wait=60_000, uncharged=1)
    unread = steps.send()
    steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)

    assert steps.ensure() == "again"
    assert (steps.parked(), steps.uncharged()) == ({}, {})
    assert steps.read("worker") == []
    assert steps.settle(old) == [0, 0]
    steps.reconcile()

    again = steps.claim("worker").deliveries
    assert {one.id for one in again} == {*(one.id for one in old), *unread}
    assert steps.settle(old) == [Another("worker", one.count) for one in again[:2]]
    assert steps.settle(again) == [DONE] * 3
    assert steps.entries() == []


@pytest.mark.parametrize("state", [READY, PARKED])
def test_a_lost_account_charges_no_force(steps: Steps, state: str) -> None:
    """Somebody deleted what does not count: the count itself tells that its thousands are none, whatever comes next."""
    steps.begin("worker")
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
    steps.reconcile()
    steps.ask("DEL", KEYS.uncharged)
    for free in range(4):
        [claimed] = steps.claim("worker").claimed
        assert claimed.delivery.count - claimed.uncharged == 1
        assert claimed.uncharged % 1000 == free
        if state == READY:
            steps.give_back([claimed.delivery])
        else:
            steps.park([claimed.delivery], uncharged=1)
            steps.promote()


def test_the_highest_count_outlives_the_group(steps: Steps) -> None:
    """Vanished twice: no count is given a second time."""
    steps.ensure()
    [one] = steps.begin("worker")
    counts = [one.count]
    for _ in range(3):
        steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
        steps.ensure()
        steps.reconcile()
        counts += [again.count for again in steps.claim("worker").deliveries]
    assert counts == sorted(set(counts))
    assert len(counts) == 4
