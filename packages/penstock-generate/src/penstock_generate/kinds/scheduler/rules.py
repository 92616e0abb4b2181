"""What a Prometheus records of a scheduler, beside its alerts."""

from __future__ import annotations

from typing import Any

from penstock_generate.alerts.define import Series
from penstock_generate.kinds.scheduler.alerts import Alert
from penstock_generate.plan import Planned
from penstock_generate.pods import rules
from penstock_spec.kinds.scheduler.metrics import running, state, taking


def groups(it: Planned, alerts: list[Alert]) -> list[dict[str, Any]]:
    """The rules: what is asked often is recorded, and the alerts."""
    ours = Series(rules.labels_of(it))
    late = f"{taking.LATENESS_SECONDS.name}_bucket"
    recorded = {
        "penstock:runs:rate5m": f"sum(rate({ours.of(running.RUNS)}[5m]))",
        "penstock:lateness_seconds:p99_5m": f"histogram_quantile(0.99, sum by (le) (rate({ours.of(late)}[5m])))",
        "penstock:overdue_seconds:max": f"max({ours.of(state.OLDEST_OVERDUE_SECONDS)})",
    }
    return rules.groups(it, alerts, recorded)
