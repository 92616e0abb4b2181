"""register, renew, deregister: each start of a process has its own consumer, with one lease for all its messages."""

import pytest
from redis_state import KEYS
from steps import LEASE, Steps

from penstock.keys import SUSPECT
from penstock.wire.errors import Refused


def test_register_creates_a_consumer_and_a_lease(steps: Steps) -> None:
    """The lease counts in Redis time."""
    before = milliseconds(steps)
    assert steps.register("worker") == 1
    after = milliseconds(steps)
    assert steps.consumers() == {"worker"}
    assert before + LEASE <= steps.alive()["worker"] <= after + LEASE


def test_a_name_is_never_registered_twice(steps: Steps) -> None:
    """The lease of its owner does not change."""
    steps.register("worker")
    lease = steps.alive()
    assert steps.register("worker", lease=1) == 0
    assert steps.alive() == lease


@pytest.mark.parametrize("left", ["a consumer without a lease", "a lease without a consumer", "a lease marked as lost"])
def test_a_name_with_remains_is_used(steps: Steps, left: str) -> None:
    """They come from a late read, a deleted consumer, or a take-over in progress."""
    if left == "a consumer without a lease":
        steps.send()
        steps.read("worker")
    else:
        steps.ask("ZADD", KEYS.alive, -1 if left == "a lease marked as lost" else 1, "worker")
    before = (steps.alive(), steps.consumers(), steps.pending())
    assert steps.register("worker") == 0
    assert (steps.alive(), steps.consumers(), steps.pending()) == before


@pytest.mark.parametrize("gone", ["group", "stream"])
def test_register_without_a_group_fails(steps: Steps, gone: str) -> None:
    """The error names the missing group, and there is no lease afterwards."""
    if gone == "group":
        steps.ask("XGROUP", "DESTROY", KEYS.stream, KEYS.group)
    else:
        steps.ask("DEL", KEYS.stream)
    with pytest.raises(Refused, match=r"NOGROUP|requires the key to exist"):
        steps.register("worker")
    assert steps.alive() == {}


def test_a_renewal_counts_from_now(steps: Steps) -> None:
    """An expired lease can be renewed until a take-over marks it."""
    steps.register("worker")
    steps.lose("worker")
    before = milliseconds(steps)
    assert steps.renew("worker") == 1
    after = milliseconds(steps)
    assert before + LEASE <= steps.alive()["worker"] <= after + LEASE


def test_renew_never_creates_a_lease(steps: Steps) -> None:
    """A missing lease is a lost lease."""
    assert steps.renew("worker") == 0
    assert steps.alive() == {}


def test_a_worker_that_wakes_during_its_take_over_stays_lost(steps: Steps) -> None:
    """The take-over marks the lease before its first page; a marked lease cannot be renewed and claims nothing."""
    steps.begin("stale", 3)
    steps.lose("stale")
    assert steps.take_over("stale", page=1) == "more"

    assert steps.renew("stale") == 0
    assert steps.try_claim("stale") is None
    assert steps.alive()["stale"] < 0

    assert steps.take_over("stale", page=1) == "more"
    assert steps.take_over("stale", page=1) == "done"
    assert [owner for owner, _ in steps.pending().values()] == [SUSPECT] * 3
    assert (steps.alive(), steps.renew("stale")) == ({}, 0)


def test_a_consumer_created_by_a_late_read_gets_a_lost_lease(steps: Steps) -> None:
    """It can be taken over and can never renew that lease."""
    steps.send()
    steps.read("worker~0abcdefg")
    assert steps.overdue() == []
    assert steps.alive()["worker~0abcdefg"] < 0
    assert steps.renew("worker~0abcdefg") == 0
    assert steps.try_claim("worker~0abcdefg") is None


def test_deregister_removes_consumer_and_lease(steps: Steps) -> None:
    """A repeat after a lost reply succeeds too."""
    one = steps.begin("worker")
    steps.settle(one)
    assert steps.deregister("worker") == 1
    assert (steps.consumers(), steps.alive()) == (set(), {})
    assert steps.deregister("worker") == 1


def test_counts_of_cut_off_handlers_add_up(steps: Steps) -> None:
    """A repeat after a lost reply adds nothing, nor does a refused call."""
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


def test_a_consumer_that_owns_messages_is_not_removed(steps: Steps) -> None:
    """Redis would drop its messages. Its lease stays, too."""
    [one] = steps.begin("worker")
    lease = steps.alive()
    assert steps.deregister("worker") == 0
    assert steps.pending() == {one.id: ("worker", 1)}
    assert steps.alive() == lease
    steps.park([one], wait=60_000)
    assert steps.deregister("worker") == 1
    assert len(steps.pending()) == 1


def milliseconds(steps: Steps) -> int:
    reply = steps.ask("TIME")
    assert isinstance(reply, list)
    seconds, micros = (int(one) for one in reply if isinstance(one, bytes))
    return seconds * 1000 + micros // 1000
