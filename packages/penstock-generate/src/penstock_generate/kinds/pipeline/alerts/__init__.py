"""Alerts of a pipeline by topic. Thresholds come from the spec where it has them."""

from __future__ import annotations

from penstock_generate.alerts.define import NAME, NAMESPACE, Alert, PipelineSources
from penstock_generate.kinds.pipeline.alerts import backlog, janitor, scaling, sends, shutdown, workers
from penstock_spec.kinds.pipeline.spec import Pipeline

__all__ = ["ANY_PIPELINE", "Alert", "PipelineSources", "alerts"]

ANY_PIPELINE = PipelineSources.of(NAMESPACE, NAME)
"""The series of any pipeline: its labels are placeholders."""


def alerts(spec: Pipeline, series: PipelineSources) -> list[Alert]:
    """All alerts of a spec, over these series."""
    ours = series.ours
    return [
        *backlog.of(spec, ours),
        *workers.of(spec, ours),
        *shutdown.of(spec, ours),
        *sends.of(spec, ours),
        *janitor.of(spec, ours),
        *scaling.of(spec, series),
    ]
