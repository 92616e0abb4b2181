"""The circuit breaker moves between its three states by a clock that the test controls."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.producer.breaker import Breaker, Limits, State

LIMITS = Limits(failures=5, within=10.0, first=30.0, cool_down=30.0, trial=5.0)
GROWING = Limits(failures=5, within=10.0, first=1.0, cool_down=6.0, trial=5.0)


def opened(at: float = 100.0) -> Breaker:
    breaker = Breaker(LIMITS)
    for _ in range(5):
        assert breaker.allows(at)
        breaker.failed(at)
    return breaker


def test_it_opens_with_the_fifth_failure_in_a_row() -> None:
    """Four failures leave it closed."""
    breaker = Breaker(LIMITS)
    for second in range(4):
        breaker.failed(second)
        assert not breaker.is_open
        assert breaker.allows(second)
    breaker.failed(4)
    assert breaker.is_open
    assert not breaker.allows(4)
    assert breaker.refuses(4)
    assert breaker.opened == 1


def test_a_success_resets_the_count() -> None:
    """Only failures in a row count."""
    breaker = Breaker(LIMITS)
    for second in range(4):
        breaker.failed(second)
    breaker.succeeded()
    for second in range(4, 8):
        breaker.failed(second)
    assert breaker.state is State.CLOSED


@pytest.mark.parametrize(("step", "state"), [(2.5, State.OPEN), (2.6, State.CLOSED)])
def test_failures_far_apart_do_not_add_up(step: float, state: State) -> None:
    """Five failures open it only within ten seconds."""
    breaker = Breaker(LIMITS)
    for count in range(5):
        breaker.failed(count * step)
    assert breaker.state is state


def test_the_window_slides() -> None:
    """Old failures leave the window one by one."""
    breaker = Breaker(LIMITS)
    for second in (0, 8, 9, 10, 11):
        breaker.failed(second)
    assert not breaker.is_open
    breaker.failed(12)
    assert breaker.is_open


def test_it_admits_one_trial_after_the_cool_down() -> None:
    """It refuses all others until the trial has a result."""
    breaker = opened(100)
    assert not breaker.allows(129.9)
    assert breaker.allows(130)
    assert breaker.state is State.HALF_OPEN
    assert not breaker.allows(130)
    assert not breaker.allows(134.9)


def test_a_successful_trial_closes_it() -> None:
    """Earlier failures no longer count."""
    breaker = opened(100)
    assert breaker.allows(130)
    breaker.succeeded()
    assert breaker.state is State.CLOSED
    for _ in range(4):
        assert breaker.allows(131)
        breaker.failed(131)
    assert breaker.state is State.CLOSED


def test_a_failed_trial_opens_it_again() -> None:
    """A full cool-down starts at that failure."""
    breaker = opened(100)
    assert breaker.allows(140)
    breaker.failed(141)
    assert breaker.state is State.OPEN
    assert not breaker.allows(170.9)
    assert breaker.allows(171)
    assert breaker.opened == 2


def test_cool_downs_grow_from_the_first_to_the_longest() -> None:
    """Each failed trial doubles the wait; after a success it is short again."""
    breaker, now = Breaker(GROWING), 0.0
    for _ in range(5):
        breaker.failed(now)
    for wait in (1, 2, 4, 6, 6):
        assert not breaker.allows(now + wait - 0.1)
        now += wait
        assert breaker.allows(now)
        breaker.failed(now)
    breaker.succeeded()
    for _ in range(5):
        breaker.failed(now)
    assert breaker.allows(now + 1)


def test_a_trial_without_a_result_is_replaced() -> None:
    """A cancelled caller must not keep the breaker half-open forever."""
    breaker = opened(100)
    assert breaker.allows(130)
    assert breaker.allows(135)
    assert not breaker.allows(136)


def test_refuses_changes_no_state() -> None:
    """`refuses` does not use up the trial."""
    breaker = opened(100)
    assert not breaker.refuses(130)
    assert breaker.state is State.OPEN
    assert breaker.allows(130)
    assert breaker.refuses(131)


@dataclass
class ExpectedBreaker:
    """A model of the breaker, computed from the history of failures."""

    limits: Limits
    failures: list[float] = field(default_factory=list)
    cool_down: float = 0.0
    opened_at: float | None = None
    trial_at: float | None = None

    def allows(self, now: float) -> bool:
        if self.opened_at is None:
            return True
        if self.trial_at is not None:
            allowed = now - self.trial_at >= self.limits.trial
        else:
            allowed = now - self.opened_at >= self.cool_down
        if allowed:
            self.trial_at = now
        return allowed

    def succeeded(self) -> None:
        self.failures, self.opened_at, self.trial_at = [], None, None

    def failed(self, now: float) -> None:
        self.failures.append(now)
        last = self.failures[-self.limits.failures :]
        if self.trial_at is not None or (
            len(last) == self.limits.failures and last[-1] - last[0] <= self.limits.within
        ):
            again = self.opened_at is not None
            self.cool_down = min(2 * self.cool_down if again else self.limits.first, self.limits.cool_down)
            self.failures, self.opened_at, self.trial_at = [], now, None


@given(
    st.lists(st.tuples(st.sampled_from([0, 0.1, 1, 2.5, 5, 30]), st.booleans()), max_size=200),
    st.sampled_from([LIMITS, GROWING]),
)
def test_any_sequence_matches_the_model(steps: list[tuple[float, bool]], limits: Limits) -> None:
    """Time passes, and each admitted call succeeds or fails."""
    breaker, expected = Breaker(limits), ExpectedBreaker(limits)
    now = 0.0
    for later, succeeds in steps:
        now += later
        admitted = breaker.allows(now)
        assert admitted == expected.allows(now)
        if admitted and succeeds:
            breaker.succeeded()
            expected.succeeded()
        elif admitted:
            breaker.failed(now)
            expected.failed(now)
        assert breaker.is_open == (expected.opened_at is not None)
