"""What a Prometheus records of a pipeline, beside its alerts."""

from __future__ import annotations

from typing import Any

from penstock_generate.alerts.define import Series
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.plan import Planned
from penstock_generate.pods import rules
from penstock_spec.kinds.pipeline.metrics import stream, working


def groups(it: Planned, alerts: list[Alert]) -> list[dict[str, Any]]:
    """The rules: what is asked often is recorded, and the alerts."""
    ours = Series(rules.labels_of(it))
    took = f"{working.HANDLING_SECONDS.name}_bucket"
    recorded = {
        "penstock:done:rate5m": f"sum(rate({ours.of(working.DONE)}[5m]))",
        "penstock:handling_seconds:p95_5m": f"histogram_quantile(0.95, sum by (le) (rate({ours.of(took)}[5m])))",
        "penstock:oldest_seconds:max": f"max({ours.of(stream.OLDEST_SECONDS)})",
    }
    return rules.groups(it, alerts, recorded)
