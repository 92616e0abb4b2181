"""Recording rules of a scheduler: frequent queries by name."""

from __future__ import annotations

from penstock_generate.kinds.scheduler.alerts import ANY_SCHEDULER
from penstock_spec.kinds.scheduler.metrics import running, state, taking

_OURS = ANY_SCHEDULER.ours
_LATE = _OURS.of(f"{taking.LATENESS_SECONDS.name}_bucket")

RECORDED = {
    "penstock:runs:rate5m": f"sum(rate({_OURS.of(running.RUNS)}[5m]))",
    "penstock:lateness_seconds:p99_5m": f"histogram_quantile(0.99, sum by (le) (rate({_LATE}[5m])))",
    "penstock:overdue_seconds:max": f"max({_OURS.of(state.OLDEST_OVERDUE_SECONDS)})",
}
