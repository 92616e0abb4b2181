"""How healthy a pod is: HEALTHY or DEGRADED, and signals of trouble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock_spec.kinds.scheduler.work import Health as Terms

IN_A_ROW = 3
"""Checks in a row that must agree: a single one may come at a bad moment."""
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
    """Since the check before."""
    all_paused: bool
    stalled: bool
    """A breaker is not closed, or the lease cannot be renewed."""


@dataclass(slots=True)
class Watchdog:
    """Judges a pod by its last checks."""

    terms: Terms
    _in_a_row: dict[str, int] = field(default_factory=dict)

    def check(self, state: PodState) -> Mapping[str, bool]:
        """Signals by name."""
        found = _signs_of_trouble(state)
        for name, shows in found.items():
            self._in_a_row[name] = self._in_a_row.get(name, 0) + 1 if shows else 0
        return {name: self._in_a_row[name] >= (1 if name == "redis_stall" else IN_A_ROW) for name in found}

    def is_degraded(self, state: PodState, signals: Mapping[str, bool]) -> bool:
        """Whether the backlog is too old or too long, or a signal shows."""
        late = bool(state.mean_interval) and state.overdue > float(self.terms.overdue_factor) * state.mean_interval
        long = bool(state.limit) and state.ready > float(self.terms.ready_factor) * state.limit
        return (not state.all_paused and (late or long)) or any(signals.values())


def _signs_of_trouble(state: PodState) -> dict[str, bool]:
    due = state.ready > 0 and not state.all_paused
    held = state.limit - state.free
    few = bool(state.limit) and state.free <= state.limit * FEW
    room = not state.limit or state.free > state.limit * FEW
    could = min(state.ready, state.free)
    return {
        "permit_leak_suspect": due and few and state.running < held / 2,
        "capacity_skew": due and room and 0 < state.acquired < could / 2,
        "zero_progress": due and room and state.acquired == 0,
        "redis_stall": state.stalled,
    }
