"""What a pod makes of how it stands: HEALTHY or DEGRADED, and signals of what is suspicious."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock_spec.kinds.scheduler.work import Health as Terms

IN_A_ROW = 3
"""Looks that must agree: one alone may have come at a bad moment."""
FEW = 0.1
"""Share of permits that counts as few."""


@dataclass(frozen=True, slots=True)
class PodState:
    """At one look."""

    ready: int
    overdue: float
    mean_interval: float
    limit: int
    """Permits; 0 is without a bound."""
    free: int
    running: int
    acquired: int
    """Since the look before."""
    all_paused: bool
    stalled: bool
    """A breaker is not closed, or the lease cannot be renewed."""


@dataclass(slots=True)
class Watchdog:
    """Remembers what the last looks saw."""

    terms: Terms
    _in_a_row: dict[str, int] = field(default_factory=dict)

    def look(self, seen: PodState) -> Mapping[str, bool]:
        """The signals, by name."""
        found = _suspicions(seen)
        for name, shows in found.items():
            self._in_a_row[name] = self._in_a_row.get(name, 0) + 1 if shows else 0
        return {name: self._in_a_row[name] >= (1 if name == "redis_stall" else IN_A_ROW) for name in found}

    def is_degraded(self, seen: PodState, signals: Mapping[str, bool]) -> bool:
        """A backlog that is too old or too long, or something suspicious."""
        late = bool(seen.mean_interval) and seen.overdue > float(self.terms.overdue_factor) * seen.mean_interval
        long = bool(seen.limit) and seen.ready > float(self.terms.ready_factor) * seen.limit
        return (not seen.all_paused and (late or long)) or any(signals.values())


def _suspicions(seen: PodState) -> dict[str, bool]:
    due = seen.ready > 0 and not seen.all_paused
    held = seen.limit - seen.free
    few = bool(seen.limit) and seen.free <= seen.limit * FEW
    room = not seen.limit or seen.free > seen.limit * FEW
    could = min(seen.ready, seen.free)
    return {
        "permit_leak_suspect": due and few and seen.running < held / 2,
        "capacity_skew": due and room and 0 < seen.acquired < could / 2,
        "zero_progress": due and room and seen.acquired == 0,
        "redis_stall": seen.stalled,
    }
