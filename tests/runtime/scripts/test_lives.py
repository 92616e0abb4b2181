"""register, renew, deregister: a consumer is one life of one process, with one lease for all that it holds."""

import pytest
from redis_state import KEYS
from steps import LEASE, Steps

from penstock.keys import SUSPECT
from penstock.wire.errors import Refused


def test_a_life_begins_with_a_consumer_and_a_lease(steps: Steps) -> None:
    """By Redis's own clock (P5)."""
    before = milliseconds(steps)
    assert steps.register("worker") == 1
    after = milliseconds(steps)
    assert steps.consumers() == {"worker"}
    assert before + LEASE <= steps.alive()["worker"] <= after + LEASE


def test_a_name_is_never_used_twice(steps: Steps) -> None:
    """Not while it lives, and the lease of the one that has it is not touched."""
    steps.register("worker")
    lease = steps.alive()
    assert steps.register("worker", lease=1) == 0
    assert steps.alive() == lease


@pytest.mark.parametrize("left", ["a consumer without a lease", "a lease without a consumer", "a lease marked as lost"])
def test_what_is_left_of_a_life_is_a_used_name(steps: Steps, left: str) -> None:
    """A read that ran late, a consumer that somebody deleted, a sleeper that is being taken over."""
    if left == "a consumer without a lease":
        steps.send()
        steps.read("worker")
    else:
        steps.ask("ZADD", KEYS.alive, -1 if left == "a lease marked as lost" else 1, "worker")
    behind = (steps.alive(), steps.consumers(), steps.pending())
    assert steps.register("worker") == 0
    assert (steps.alive(), steps.consumers(), steps.pending()) == behind


@pytest.mark.parametrize("gone", ["group", "stream"])
def test_nobody_lives_in_a_group_that_is_not_there(steps: Steps, gone: str) -> None:
    """It is told by its name, and no lease is left behind."""
    if gone == "group":
        steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    else:
        steps.ask("DEL", KEYS.stream)
    with pytest.raises(Refused, match=r"NOGROUP|requires the key to exist"):
        steps.register("worker")
    assert steps.alive() == {}


def test_a_renewal_counts_from_now(steps: Steps) -> None:
    """Also when the lease had run out, as long as nobody marked it: nothing was taken over yet."""
    steps.register("worker")
    steps.lose("worker")
    before = milliseconds(steps)
    assert steps.renew("worker") == 1
    after = milliseconds(steps)
    assert before + LEASE <= steps.alive()["worker"] <= after + LEASE


def test_a_renewal_never_begins_a_life(steps: Steps) -> None:
    """A lease that is not there is lost."""
    assert steps.renew("worker") == 0
    assert steps.alive() == {}


def test_a_worker_that_wakes_between_two_pages_stays_lost(steps: Steps) -> None:
    """The take-over marks the lease before its first page; a marked lease is never renewed, and claims nothing."""
    steps.begin("sleeper", 3)
    steps.lose("sleeper")
    assert steps.take_over("sleeper", page=1) == "more"

    assert steps.renew("sleeper") == 0
    assert steps.try_claim("sleeper") is None
    assert steps.alive()["sleeper"] < 0

    assert steps.take_over("sleeper", page=1) == "more"
    assert steps.take_over("sleeper", page=1) == "done"
    assert [owner for owner, _ in steps.pending().values()] == [SUSPECT] * 3
    assert (steps.alive(), steps.renew("sleeper")) == ({}, 0)


def test_a_consumer_that_came_back_from_a_late_read_is_adopted(steps: Steps) -> None:
    """It is given a lease that is marked as lost: it can be taken over, and never renews it."""
    steps.send()
    steps.read("worker~0abcdefg")
    assert steps.overdue() == []
    assert steps.alive()["worker~0abcdefg"] < 0
    assert steps.renew("worker~0abcdefg") == 0
    assert steps.try_claim("worker~0abcdefg") is None


def test_a_life_ends_when_it_owns_nothing(steps: Steps) -> None:
    """Consumer and lease are gone; a repeat, after a lost answer, is as good."""
    one = steps.begin("worker")
    steps.settle(one)
    assert steps.deregister("worker") == 1
    assert (steps.consumers(), steps.alive()) == (set(), {})
    assert steps.deregister("worker") == 1


def test_what_ends_of_lives_cut_off_adds_up(steps: Steps) -> None:
    """It is remembered once: a repeat, after a lost answer, and a life that cannot end yet, add nothing."""
    cut = ("HGET", KEYS.position, "cut")
    [one] = steps.begin("worker")
    assert steps.deregister("worker", cut=2) == 0
    assert steps.ask(*cut) is None
    steps.settle([one])
    assert [steps.deregister("worker", cut=2) for _ in range(2)] == [1, 1]
    steps.register("second")
    steps.register("third")
    assert (steps.deregister("second", cut=3), steps.deregister("third")) == (1, 1)
    assert steps.ask(*cut) == b"5"


def test_a_life_that_owns_something_does_not_end(steps: Steps) -> None:
    """P7: deleting it would drop what it owns. It keeps its lease, too."""
    [one] = steps.begin("worker")
    lease = steps.alive()
    assert steps.deregister("worker") == 0
    assert steps.pending() == {one.id: ("worker", 1)}
    assert steps.alive() == lease
    steps.park([one], wait=60_000)
    assert steps.deregister("worker") == 1
    assert len(steps.pending()) == 1


def milliseconds(steps: Steps) -> int:
    told = steps.ask("TIME")
    assert isinstance(told, list)
    seconds, micros = (int(one) for one in told if isinstance(one, bytes))
    return seconds * 1000 + micros // 1000
