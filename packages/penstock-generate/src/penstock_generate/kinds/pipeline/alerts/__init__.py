"""Alerts of a pipeline, by what they are about. A number that stands in the spec is the spec's."""

from __future__ import annotations

from penstock_generate.alerts.define import Alert, Series
from penstock_generate.kinds.pipeline.alerts import backlog, leaving, scaling, sending, tidying, working
from penstock_generate.plan import Planned
from penstock_spec.kinds.pipeline.spec import Pipeline

__all__ = ["Alert", "alerts"]


def alerts(it: Planned) -> list[Alert]:
    """All of them."""
    spec: Pipeline = it.spec
    ours = Series({"namespace": it.around.namespace, "pipeline": spec.name})
    return [
        *backlog.of(spec, ours),
        *working.of(spec, ours),
        *leaving.of(spec, ours),
        *sending.of(spec, ours),
        *tidying.of(spec, ours),
        *scaling.of(spec, it.around.namespace),
    ]
