"""The watchdog judges the health of a pod."""

from dataclasses import replace

import pytest

from penstock.scheduler.watchdog import IN_A_ROW, PodState, Watchdog
from penstock_spec.kinds.scheduler.work import Health as HealthSpec

HEALTHY = PodState(
    ready=5, overdue=1, mean_interval=30, limit=100, free=60, running=40, acquired=50, all_paused=False, stalled=False
)


def verdict(state: PodState, checks: int = IN_A_ROW) -> tuple[set[str], bool]:
    """The signals after this many checks, and whether the pod is degraded."""
    watchdog = Watchdog(HealthSpec())
    signals = [watchdog.check(state) for _ in range(checks)][-1]
    return {name for name, is_set in signals.items() if is_set}, watchdog.is_degraded(state, signals)


@pytest.mark.parametrize(
    ("state", "signals", "degraded"),
    [
        (HEALTHY, set(), False),
        (replace(HEALTHY, overdue=60.5), set(), True),
        (replace(HEALTHY, overdue=60.5, mean_interval=0), set(), False),
        (replace(HEALTHY, ready=1001), set(), True),
        (replace(HEALTHY, ready=1001, limit=0, free=100_000, acquired=900), set(), False),
        (replace(HEALTHY, acquired=0), {"zero_progress"}, True),
        (replace(HEALTHY, acquired=0, all_paused=True), set(), False),
        (replace(HEALTHY, acquired=0, ready=0), set(), False),
        (replace(HEALTHY, ready=60, acquired=10), {"capacity_skew"}, True),
        (replace(HEALTHY, free=2, running=98, acquired=3), set(), False),
        (replace(HEALTHY, stalled=True), {"redis_stall"}, True),
    ],
)
def test_each_cause_has_its_signal(state: PodState, signals: set[str], degraded: bool) -> None:  # noqa: FBT001 - a column of the table
    """A backlog too old or too long degrades the pod without a signal."""
    assert verdict(state) == (signals, degraded)


def test_a_signal_needs_several_checks_in_a_row() -> None:
    """Only a stall is signalled at once."""
    assert verdict(replace(HEALTHY, acquired=0), IN_A_ROW - 1) == (set(), False)
    assert verdict(replace(HEALTHY, stalled=True), 1) == ({"redis_stall"}, True)
