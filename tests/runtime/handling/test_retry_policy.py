"""After a failed attempt comes the wait of the spec, or a dead letter when no attempt is left."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.handling.exceptions import Bury as RaisedBury
from penstock.handling.exceptions import Retry
from penstock.handling.failures import Failure
from penstock.handling.retry_policy import BuryDecision, ParkDecision, RetryPolicy, wait_after
from penstock_spec.kinds.pipeline.waits import Waits, waits
from penstock_spec.kinds.pipeline.work import Retries
from penstock_spec.values.quantities import Duration

MILLISECONDS = st.integers(0, 10**7) | st.sampled_from([0, 1, Duration.LONGEST])
FACTORS = st.floats(1, 100) | st.integers(1, 100) | st.sampled_from([1, 1.0001, 2])
WAITS = st.builds(
    Waits,
    st.just(""),
    st.integers(1, 1000),
    MILLISECONDS.map(Duration.of),
    FACTORS,
    MILLISECONDS.map(Duration.of),
    st.floats(0, 1) | st.just(0),
)


class Fixed(Random):
    """A random source that always draws the same share between the bounds."""

    def __init__(self, share: float) -> None:
        super().__init__(0)
        self.share = share

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.share


MIDDLE = Fixed(0.5)
RANDOM = st.builds(Random, st.integers()) | st.builds(Fixed, st.sampled_from([0.0, 0.5, 1.0]))


@given(WAITS, RANDOM)
def test_waits_stay_between_zero_and_their_limit(of: Waits, rng: Random) -> None:
    for attempt in {1, 2, of.attempts // 2 + 1, of.attempts}:
        assert 0 <= wait_after(of, attempt, rng) <= of.limit.amount


@given(WAITS, RANDOM)
def test_all_waits_together_never_exceed_the_sum_of_lint(of: Waits, rng: Random) -> None:
    waited = sum(wait_after(of, attempt, rng) for attempt in range(1, of.attempts))
    assert waited <= of.longest(Duration.of(0)).amount


@given(WAITS)
def test_the_longest_waits_equal_the_sum_of_lint(of: Waits) -> None:
    """Fractions of milliseconds, and lint's rounding up to a second, may differ."""
    waited = sum(wait_after(of, attempt, Fixed(1.0)) for attempt in range(1, of.attempts))
    assert of.longest(Duration.of(0)).amount - waited < 1000 + of.attempts


@given(WAITS)
def test_without_jitter_waits_never_shrink(of: Waits) -> None:
    steady = Waits("", of.attempts, of.first, of.factor, of.limit, 0)
    waited = [wait_after(steady, attempt, MIDDLE) for attempt in range(1, of.attempts + 1)]
    assert all(one <= other for one, other in pairwise(waited))
    assert waited[0] == min(of.first.amount, of.limit.amount)


def policy(**retries: Any) -> RetryPolicy:  # noqa: ANN401 - as in a spec
    return RetryPolicy(Retries.model_validate(retries))


CLASSES = {
    "forbidden": {"match": ["PermissionError", "403"], "backoff": {"first": "30m", "factor": 1}},
    "never": {"match": ["ValueError"], "attempts": 1},
    "busy": {"match": ["503"], "attempts": 10, "backoff": {"limit": "2s"}},
    "all": {"match": ["OSError"]},
}
STEADY = {"first": "1s", "factor": 2, "limit": "5m", "jitter": 0}
STATUS_503 = Failure((), 503)


@pytest.mark.parametrize(
    ("failure", "attempt", "decision"),
    [
        (Failure.of(KeyError()), 1, ParkDecision(1000, "")),
        (Failure.of(KeyError()), 4, ParkDecision(8000, "")),
        (Failure.of(KeyError()), 5, BuryDecision("failed")),
        (Failure.of(KeyError()), 9, BuryDecision("failed")),
        (Failure.of(ValueError()), 1, BuryDecision("failed")),
        (Failure.of(PermissionError()), 1, ParkDecision(1_800_000, "forbidden")),
        (Failure.of(PermissionError()), 4, ParkDecision(1_800_000, "forbidden")),
        (Failure.of(PermissionError()), 5, BuryDecision("failed")),
        (Failure.of(ConnectionError()), 2, ParkDecision(2000, "all")),
        (STATUS_503, 1, ParkDecision(1000, "busy")),
        (STATUS_503, 9, ParkDecision(2000, "busy")),
        (STATUS_503, 10, BuryDecision("failed")),
    ],
)
def test_the_first_matching_class_decides(
    failure: Failure, attempt: int, decision: ParkDecision | BuryDecision
) -> None:
    """The general limit of five minutes does not cut the first wait of thirty minutes."""
    assert policy(attempts=5, backoff=STEADY, classes=CLASSES).decide(failure, attempt, MIDDLE) == decision


def test_jitter_spreads_waits_at_their_limit() -> None:
    """Otherwise messages that failed together would return together."""
    of = next(waits(Retries.model_validate({"backoff": {"first": "10m", "limit": "10m", "jitter": 0.5}})))
    chance = Random(7)  # noqa: S311 - jitter is not a secret
    waited = {wait_after(of, 3, chance) for _ in range(100)}
    assert len(waited) > 20
    assert min(waited) >= 300_000
    assert max(waited) == 600_000


def test_a_handler_may_choose_the_wait() -> None:
    """No limit cuts it and no jitter changes it; attempts count as usual."""
    of = policy(attempts=3, classes={"busy": {"match": ["Retry"], "attempts": 7}})
    for attempt in (1, 6):
        assert of.decide(Failure.of(Retry(after="1h")), attempt, MIDDLE) == ParkDecision(3_600_000, "busy")
    assert of.decide(Failure.of(Retry(after="1h")), 7, MIDDLE) == BuryDecision("failed")
    assert policy(attempts=3).decide(Failure.of(Retry(after=0)), 3, MIDDLE) == BuryDecision("failed")


def test_a_retry_without_a_time_waits_as_usual() -> None:
    assert policy(backoff=STEADY).decide(Failure.of(Retry()), 2, MIDDLE) == ParkDecision(2000, "")


def test_a_handler_may_bury_a_message() -> None:
    assert policy(attempts=3).decide(Failure.of(RaisedBury("gone")), 1, MIDDLE) == BuryDecision("refused")
