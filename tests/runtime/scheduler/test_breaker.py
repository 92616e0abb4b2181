"""The breakers of a scheduler, on a clock of the test's own."""

import pytest

from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock_spec.kinds.scheduler.work import Breakers

USUAL = Breakers()


def opened() -> BatchBreaker:
    breaker = BatchBreaker(USUAL)
    for second in range(5):
        breaker.failed(second, second)
    return breaker


def test_it_opens_after_five_failures_within_ten_seconds() -> None:
    """Four are too few, and five that are further apart."""
    breaker = BatchBreaker(USUAL)
    for second in range(4):
        breaker.failed(second, second)
    assert breaker.admits(4)
    slow = BatchBreaker(USUAL)
    for second in range(0, 50, 3):
        slow.failed(second, second)
    assert (slow.state(50), slow.trips) == (BreakerState.CLOSED, 0)
    assert (opened().state(5), opened().trips) == (BreakerState.OPEN, 1)


def test_a_redis_that_hangs_opens_it() -> None:
    """Calls that wait for three seconds each are no five within ten; their seconds count."""
    breaker = BatchBreaker(USUAL)
    breaker.failed(3, 0)
    assert breaker.state(3) is BreakerState.CLOSED, "one alone"
    breaker.failed(7, 4)
    assert (breaker.state(7), breaker.trips) == (BreakerState.OPEN, 1)


def test_an_open_one_asks_nothing_for_thirty_seconds() -> None:
    """What was not asked is counted."""
    breaker = opened()
    assert [breaker.admits(second) for second in (5, 33.9, 34)] == [False, False, True]
    assert breaker.blocked == 2


def test_a_half_open_one_closes_after_five_seconds_without_a_failure() -> None:
    """One failure is enough to open it again, for as long."""
    breaker = opened()
    assert breaker.state(34) is BreakerState.HALF_OPEN
    breaker.failed(36, 36)
    assert (breaker.state(65), breaker.trips) == (BreakerState.OPEN, 2)
    assert breaker.state(66) is BreakerState.HALF_OPEN
    assert (breaker.state(70.9), breaker.state(71)) == (BreakerState.HALF_OPEN, BreakerState.CLOSED)
    assert breaker.recoveries == 1


@pytest.mark.parametrize("seen", [True, False])
def test_a_trial_that_hangs_opens_it_again(*, seen: bool) -> None:
    """It closed meanwhile, as nothing had failed yet, whether anybody looked or not. Later calls count as ever."""
    breaker = opened()
    assert breaker.admits(36)
    assert not seen or breaker.state(42) is BreakerState.CLOSED
    breaker.failed(43, 37)
    assert (breaker.state(43), breaker.trips, breaker.recoveries) == (BreakerState.OPEN, 2, int(seen))
    assert breaker.admits(74)
    assert breaker.state(80) is BreakerState.CLOSED
    breaker.failed(81, 80)
    assert breaker.state(81) is BreakerState.CLOSED


def test_one_that_is_off_stays_closed() -> None:
    """Whatever fails."""
    breaker = BatchBreaker(Breakers(enabled=False))
    for _ in range(100):
        breaker.failed(1, 1)
    assert breaker.admits(1)
