"""How healthy a pod is."""

from dataclasses import replace

import pytest

from penstock.scheduler.watchdog import IN_A_ROW, PodState, Watchdog
from penstock_spec.kinds.scheduler.work import Health as Terms

WELL = PodState(
    ready=5, overdue=1, mean_interval=30, limit=100, free=60, running=40, acquired=50, all_paused=False, stalled=False
)


def judged(seen: PodState, looks: int = IN_A_ROW) -> tuple[set[str], bool]:
    """The signals after this many checks, and whether the pod is degraded."""
    watchdog = Watchdog(Terms())
    signals = [watchdog.check(seen) for _ in range(looks)][-1]
    return {name for name, shows in signals.items() if shows}, watchdog.is_degraded(seen, signals)


@pytest.mark.parametrize(
    ("seen", "signals", "degraded"),
    [
        (WELL, set(), False),
        (replace(WELL, overdue=60.5), set(), True),
        (replace(WELL, overdue=60.5, mean_interval=0), set(), False),
        (replace(WELL, ready=1001), set(), True),
        (replace(WELL, ready=1001, limit=0, free=100_000, acquired=900), set(), False),
        (replace(WELL, acquired=0), {"zero_progress"}, True),
        (replace(WELL, acquired=0, all_paused=True), set(), False),
        (replace(WELL, acquired=0, ready=0), set(), False),
        (replace(WELL, ready=60, acquired=10), {"capacity_skew"}, True),
        (replace(WELL, free=2, running=10, acquired=3), {"permit_leak_suspect"}, True),
        (replace(WELL, free=2, running=98, acquired=3), set(), False),
        (replace(WELL, stalled=True), {"redis_stall"}, True),
    ],
)
def test_each_cause_shows(seen: PodState, signals: set[str], degraded: bool) -> None:  # noqa: FBT001 - a column of the table
    """A backlog too old or too long, and each signal by its cause."""
    assert judged(seen) == (signals, degraded)


def test_a_signal_needs_several_checks_in_a_row() -> None:
    """Only a stall shows at once."""
    assert judged(replace(WELL, acquired=0), IN_A_ROW - 1) == (set(), False)
    assert judged(replace(WELL, stalled=True), 1) == ({"redis_stall"}, True)
