"""Recording rules of a pipeline: frequent queries by name."""

from __future__ import annotations

from penstock_generate.kinds.pipeline.alerts import ANY_PIPELINE
from penstock_spec.kinds.pipeline.metrics import stream, working

_OURS = ANY_PIPELINE.ours
_TOOK = _OURS.of(f"{working.HANDLING_SECONDS.name}_bucket")

RECORDED = {
    "penstock:done:rate5m": f"sum(rate({_OURS.of(working.DONE)}[5m]))",
    "penstock:handling_seconds:p95_5m": f"histogram_quantile(0.95, sum by (le) (rate({_TOOK}[5m])))",
    "penstock:oldest_seconds:max": f"max({_OURS.of(stream.OLDEST_SECONDS)})",
}
