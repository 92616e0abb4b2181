"""Attempts, waits and the limits of the breaker follow from the spec."""

import pytest
from sending import pipeline

from penstock.producer.breaker import Breaker
from penstock.producer.pace import LONGEST_BACKOFF, LONGEST_POLL, MOST, Backoff, Pace
from penstock.producer.policies import limits_of, retries_of
from penstock_spec.platform import Timeouts

TIMEOUTS = Timeouts()


@pytest.mark.parametrize("attempts", [1, 3, 5, 20, 100])
@pytest.mark.parametrize("backoff", [{"first": "0s"}, {"first": "500ms", "factor": 2}, {"first": "10m", "factor": 1}])
def test_one_send_never_opens_the_breaker_before_its_last_attempt(attempts: int, backoff: dict[str, object]) -> None:
    """Only later attempts in a row open it."""
    retries = retries_of(pipeline(send={"attempts": attempts, "backoff": backoff}), TIMEOUTS)
    breaker = Breaker(limits_of(retries, TIMEOUTS, 30.0))
    slowest = TIMEOUTS.connect.seconds + TIMEOUTS.answer.seconds
    now = 0.0
    for attempt in range(1, 200):
        assert breaker.allows(now) or attempt > max(5, attempts)
        if breaker.is_open:
            assert attempt > attempts
            return
        now += slowest
        breaker.failed(now)
        now += retries.backoff.after(attempt % attempts) if attempt % attempts else 0
    raise AssertionError("it never opens")


def test_a_send_is_retried_only_within_the_window() -> None:
    """The time that a retry may take to arrive is subtracted."""
    dedup = {"by": "job", "window": "1m"}
    longest_call = TIMEOUTS.connect.seconds + TIMEOUTS.answer.seconds
    assert retries_of(pipeline(message={"dedup": dedup}), TIMEOUTS).window == 60 - longest_call
    assert retries_of(pipeline(), TIMEOUTS).window == 0


def test_backoff_grows_up_to_a_maximum() -> None:
    """It follows the spec, but never exceeds `LONGEST_BACKOFF`."""
    assert [Backoff(0.5, 2).after(attempts) for attempts in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert Backoff(0.5, 100).after(10_000) == LONGEST_BACKOFF
    assert Backoff(600, 1).after(1) == LONGEST_BACKOFF
    assert Backoff(0, 2).after(50) == 0


def test_polling_intervals_grow_up_to_a_second() -> None:
    """Each interval is random between half and all of its length."""
    longest, shortest = Pace(lambda: 1.0), Pace(lambda: 0.0)
    waits = [longest.poll() for _ in range(100)]
    assert waits == sorted(waits)
    assert waits[0] < 0.02
    assert waits[-1] == LONGEST_POLL
    assert [shortest.poll() * 2 for _ in range(100)] == waits


def test_polls_ask_for_little_after_little_room() -> None:
    """They ask for the maximum again when all find room; any room makes the next wait short."""
    pace = Pace(lambda: 1.0)
    first = pace.poll()
    assert pace.poll() > first
    pace.record_room(3, for_all=False)
    assert pace.most == 3
    assert pace.poll() == first
    pace.record_room(0, for_all=False)
    assert pace.most == 1
    assert pace.poll() > first
    for _ in range(20):
        pace.record_room(pace.most, for_all=True)
    assert pace.most == MOST
