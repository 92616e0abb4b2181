"""The breakers of a scheduler, with the time passed in."""

import pytest

from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.wire.errors import Absent, Refused, Unanswered
from penstock_spec.kinds.scheduler.work import Breakers

USUAL = Breakers()
REFUSED = Refused("OOM command not allowed")
HUNG = Unanswered("no answer")


def opened() -> BatchBreaker:
    breaker = BatchBreaker(USUAL)
    for second in range(5):
        breaker.failed(second, second, REFUSED)
    return breaker


def test_five_failures_within_ten_seconds_open_it() -> None:
    """Four failures, or five over a longer time, do not."""
    breaker = BatchBreaker(USUAL)
    for second in range(4):
        breaker.failed(second, second, REFUSED)
    assert breaker.admits(4)
    slow = BatchBreaker(USUAL)
    for second in range(0, 50, 3):
        slow.failed(second, second, REFUSED)
    assert (slow.state(50), slow.trips) == (BreakerState.CLOSED, 0)
    assert (opened().state(5), opened().trips) == (BreakerState.OPEN, 1)


def test_a_hanging_redis_opens_it() -> None:
    """Calls of three seconds each cannot fail five times in ten seconds, so each second counts."""
    breaker = BatchBreaker(USUAL)
    breaker.failed(3, 0, REFUSED)
    assert breaker.state(3) is BreakerState.CLOSED, "one hanging call is not enough"
    breaker.failed(7, 4, REFUSED)
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
    breaker.failed(36, 36, REFUSED)
    assert (breaker.state(65), breaker.trips) == (BreakerState.OPEN, 2)
    assert breaker.state(66) is BreakerState.HALF_OPEN
    breaker.succeeded(67)
    assert (breaker.state(70.9), breaker.state(71)) == (BreakerState.HALF_OPEN, BreakerState.CLOSED)
    assert breaker.recoveries == 1


@pytest.mark.parametrize("observed", [True, False])
def test_a_trial_that_hangs_opens_it_again(*, observed: bool) -> None:
    """Although the breaker has closed since the trial started, observed or not. Later calls count as usual."""
    breaker = opened()
    assert breaker.admits(36)
    breaker.succeeded(36)
    assert not observed or breaker.state(42) is BreakerState.CLOSED
    breaker.failed(43, 37, REFUSED)
    assert (breaker.state(43), breaker.trips, breaker.recoveries) == (BreakerState.OPEN, 2, int(observed))
    assert breaker.admits(74)
    breaker.succeeded(74)
    assert breaker.state(80) is BreakerState.CLOSED
    breaker.failed(81, 80, REFUSED)
    assert breaker.state(81) is BreakerState.CLOSED


def test_a_disabled_breaker_stays_closed() -> None:
    breaker = BatchBreaker(Breakers(enabled=False))
    for _ in range(100):
        breaker.failed(1, 1, REFUSED)
    assert breaker.admits(1)


def test_time_alone_does_not_close_a_half_open_breaker() -> None:
    """Redis refused every call so far, so nothing has recovered; a call from before proves nothing."""
    breaker = opened()
    assert breaker.state(34) is BreakerState.HALF_OPEN
    breaker.succeeded(33)
    assert (breaker.state(500), breaker.recoveries) == (BreakerState.HALF_OPEN, 0)
    breaker.succeeded(501)
    assert (breaker.state(502), breaker.recoveries) == (BreakerState.CLOSED, 1)


@pytest.mark.parametrize("error", [HUNG, Absent("refused"), Refused("LOADING Redis is loading the dataset")])
def test_an_answered_probe_ends_the_cool_down(error: Exception) -> None:
    """Redis did not answer, or answered nothing; then any answer means that calls may work."""
    breaker = BatchBreaker(USUAL)
    for second in range(5):
        breaker.failed(second, second, error)
    assert breaker.wants_probe(5)
    breaker.answered(6)
    assert (breaker.state(6), breaker.admits(6)) == (BreakerState.HALF_OPEN, True)


def test_a_refused_call_waits_for_the_cool_down() -> None:
    """Redis answers, so an answer to a probe says nothing about the calls."""
    breaker = opened()
    assert not breaker.wants_probe(5)
    breaker.answered(6)
    assert breaker.state(6) is BreakerState.OPEN
