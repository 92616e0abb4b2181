"""The breakers of a scheduler, with the time passed in."""

import pytest

from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock_spec.kinds.scheduler.work import Breakers

USUAL = Breakers()


def opened() -> BatchBreaker:
    breaker = BatchBreaker(USUAL)
    for second in range(5):
        breaker.failed(second, second)
    return breaker


def test_five_failures_within_ten_seconds_open_it() -> None:
    """Four failures, or five over a longer time, do not."""
    breaker = BatchBreaker(USUAL)
    for second in range(4):
        breaker.failed(second, second)
    assert breaker.admits(4)
    slow = BatchBreaker(USUAL)
    for second in range(0, 50, 3):
        slow.failed(second, second)
    assert (slow.state(50), slow.trips) == (BreakerState.CLOSED, 0)
    assert (opened().state(5), opened().trips) == (BreakerState.OPEN, 1)


def test_a_hanging_redis_opens_it() -> None:
    """Calls of three seconds each cannot fail five times in ten seconds, so each second counts."""
    breaker = BatchBreaker(USUAL)
    breaker.failed(3, 0)
    assert breaker.state(3) is BreakerState.CLOSED, "one hanging call is not enough"
    breaker.failed(7, 4)
    assert (breaker.state(7), breaker.trips) == (BreakerState.OPEN, 1)


def test_an_open_breaker_refuses_calls_for_thirty_seconds() -> None:
    """It counts them."""
    breaker = opened()
    assert [breaker.admits(second) for second in (5, 33.9, 34)] == [False, False, True]
    assert breaker.blocked == 2


def test_a_half_open_breaker_closes_after_five_seconds_without_a_failure() -> None:
    """One failure opens it again for thirty seconds."""
    breaker = opened()
    assert breaker.state(34) is BreakerState.HALF_OPEN
    breaker.failed(36, 36)
    assert (breaker.state(65), breaker.trips) == (BreakerState.OPEN, 2)
    assert breaker.state(66) is BreakerState.HALF_OPEN
    assert (breaker.state(70.9), breaker.state(71)) == (BreakerState.HALF_OPEN, BreakerState.CLOSED)
    assert breaker.recoveries == 1


@pytest.mark.parametrize("observed", [True, False])
def test_a_trial_that_hangs_opens_it_again(*, observed: bool) -> None:
    """Although the breaker has closed since the trial started, observed or not. Later calls count as usual."""
    breaker = opened()
    assert breaker.admits(36)
    assert not observed or breaker.state(42) is BreakerState.CLOSED
    breaker.failed(43, 37)
    assert (breaker.state(43), breaker.trips, breaker.recoveries) == (BreakerState.OPEN, 2, int(observed))
    assert breaker.admits(74)
    assert breaker.state(80) is BreakerState.CLOSED
    breaker.failed(81, 80)
    assert breaker.state(81) is BreakerState.CLOSED


def test_a_disabled_breaker_stays_closed() -> None:
    breaker = BatchBreaker(Breakers(enabled=False))
    for _ in range(100):
        breaker.failed(1, 1)
    assert breaker.admits(1)
