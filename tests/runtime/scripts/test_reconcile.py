"""reconcile: messages missing from the pending list come back, and old fences stay invalid.

After somebody deletes a consumer or the group, Redis starts delivery counts at one again. Restored messages therefore
get a count above every earlier one.
"""

import pytest
from redis_state import KEYS
from steps import DONE, Another, Steps

from penstock.keys import PARKED, READY


def test_messages_of_a_deleted_consumer_come_back_with_a_higher_count(steps: Steps) -> None:
    """None of their attempts is charged."""
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
def test_a_late_step_with_an_old_fence_changes_nothing(steps: Steps, times: int) -> None:
    """This holds even if the same worker owns the message again, and after several losses."""
    [first] = steps.begin("worker")
    deliveries = [first]
    for _ in range(times):
        steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
        steps.reconcile()
        deliveries += steps.claim("worker").deliveries
    assert len({one.count for one in deliveries}) == times + 1
    current = deliveries.pop()
    for old in deliveries:
        assert steps.settle([old]) == [Another("worker", current.count)]
        assert steps.park([old]) == [Another("worker", current.count)]
    assert steps.settle([current]) == [DONE]


def test_messages_of_a_deleted_parked_consumer_are_ready(steps: Steps) -> None:
    """Their due time, uncharged count and crash no longer apply."""
    batch = steps.begin("worker", 2)
    steps.park(batch, wait=60_000, uncharged=5, crashed=True)
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, PARKED)
    steps.reconcile()
    assert {owner for owner, _ in steps.pending().values()} == {READY}
    assert (steps.parked(), steps.crashed()) == ({}, {})
    assert {id_: steps.uncharged()[id_] for id_ in steps.pending()} == {i: c for i, (_, c) in steps.pending().items()}


def test_due_times_without_a_parked_message_are_dropped(steps: Steps) -> None:
    """The scaling signal subtracts the number of parked messages, so it must be exact."""
    running, parked = steps.begin("worker", 2)
    steps.park([parked], wait=60_000)
    steps.ask("ZADD", KEYS.parked, 9e15, running.id, 9e15, "1-1")
    steps.reconcile()
    assert set(steps.parked()) == {parked.id}


def test_a_parked_message_without_a_due_time_is_due_now(steps: Steps) -> None:
    """The pending list is the truth; the sorted set is an index."""
    batch = steps.begin("worker")
    steps.park(batch, wait=60_000)
    steps.ask("DEL", KEYS.parked)
    steps.reconcile()
    steps.promote()
    assert steps.pending() == {batch[0].id: (READY, 1)}


def test_fences_of_a_deleted_group_are_invalid_in_the_new_one(steps: Steps) -> None:
    """The new group starts at the end of the stream; reconcile restores all messages, even unread ones."""
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

    assert steps.try_claim("worker") is None, "leases end with the group"
    steps.register("other")
    again = steps.claim("other").deliveries
    assert {one.id for one in again} == {*(one.id for one in old), *unread}
    assert steps.settle(old) == [Another("other", one.count) for one in again[:2]]
    assert steps.settle(again) == [DONE] * 3
    assert steps.entries() == []


@pytest.mark.parametrize("state", [READY, PARKED])
def test_lost_uncharged_counts_charge_no_restored_message(steps: Steps, state: str) -> None:
    """Somebody deletes the uncharged counts; the count itself shows that its thousands are not attempts."""
    steps.begin("worker")
    steps.ask("XGROUP", "DELCONSUMER", KEYS.stream, KEYS.group, "worker")
    steps.reconcile()
    steps.ask("DEL", KEYS.uncharged)
    for uncharged in range(4):
        [claimed] = steps.claim("worker").claimed
        assert claimed.delivery.count - claimed.uncharged == 1
        assert claimed.uncharged % 1000 == uncharged
        if state == READY:
            steps.give_back([claimed.delivery])
        else:
            steps.park([claimed.delivery], uncharged=1)
            steps.promote()


def test_the_highest_count_survives_the_group(steps: Steps) -> None:
    """No count is used again, even if the group vanishes several times."""
    steps.ensure()
    [one] = steps.begin("worker")
    counts = [one.count]
    for number in range(3):
        steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
        steps.ensure()
        steps.reconcile()
        steps.register(f"worker{number}")
        counts += [again.count for again in steps.claim(f"worker{number}").deliveries]
    assert counts == sorted(set(counts))
    assert len(counts) == 4
