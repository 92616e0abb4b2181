"""Alerts of a pipeline, by what they are about. A number that stands in the spec is the spec's."""

from __future__ import annotations

from penstock_generate.alerts.define import NAME, NAMESPACE, Alert, Sources
from penstock_generate.kinds.pipeline.alerts import backlog, leaving, scaling, sending, tidying, working
from penstock_spec.kinds.pipeline.spec import Pipeline

__all__ = ["ASKED", "Alert", "Sources", "alerts"]

ASKED = Sources.of(NAMESPACE, NAME)
"""Of any pipeline: its labels are blanks."""


def alerts(spec: Pipeline, asked: Sources) -> list[Alert]:
    """All of them: about the spec's numbers, asked of these series."""
    ours = asked.ours
    return [
        *backlog.of(spec, ours),
        *working.of(spec, ours),
        *leaving.of(spec, ours),
        *sending.of(spec, ours),
        *tidying.of(spec, ours),
        *scaling.of(spec, asked),
    ]
