"""Checks the health of a pod: HEALTHY or DEGRADED, and signals of trouble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock_spec.kinds.scheduler.work import Health as Terms

IN_A_ROW = 3
"""Checks in a row that must agree, because a single one may be misleading."""
FEW = 0.1
"""The share of permits that counts as few."""


@dataclass(frozen=True, slots=True)
class PodState:
    """A pod at the time of one check."""

    ready: int
    overdue: float
    mean_interval: float
    limit: int
    """Permits; 0 for no limit."""
    free: int
    running: int
    acquired: int
    """Since the previous check."""
    all_paused: bool
    stalled: bool
    """Whether a breaker is not closed, or the lease cannot be renewed."""


@dataclass(slots=True)
class Watchdog:
    """Judges a pod by its last checks."""

    terms: Terms
    _in_a_row: dict[str, int] = field(default_factory=dict)

    def check(self, state: PodState) -> Mapping[str, bool]:
        """Signals by name."""
        signs = _signs_of_trouble(state)
        for name, active in signs.items():
            self._in_a_row[name] = self._in_a_row.get(name, 0) + 1 if active else 0
        return {name: self._in_a_row[name] >= (1 if name == "redis_stall" else IN_A_ROW) for name in signs}

    def is_degraded(self, state: PodState, signals: Mapping[str, bool]) -> bool:
        """Whether the backlog is too old or too long, or a signal is active."""
        late = bool(state.mean_interval) and state.overdue > float(self.terms.overdue_factor) * state.mean_interval
        long = bool(state.limit) and state.ready > float(self.terms.ready_factor) * state.limit
        return (not state.all_paused and (late or long)) or any(signals.values())


def _signs_of_trouble(state: PodState) -> dict[str, bool]:
    due = state.ready > 0 and not state.all_paused
    has_permits = not state.limit or state.free > state.limit * FEW
    possible = min(state.ready, state.free)
    return {
        "capacity_skew": due and has_permits and 0 < state.acquired < possible / 2,
        "zero_progress": due and has_permits and state.acquired == 0,
        "redis_stall": state.stalled,
    }
