"""Alerts on KEDA and the HPA, over metrics of KEDA and kube-state-metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, PipelineSources, Query
from penstock_spec.kinds.pipeline.spec import Pipeline

WINDOW = 5
"""Minutes in which failed polls are counted, if several polls fit in."""
LONGEST = 180
"""The maximum of that: an error that ended longer ago does not fire."""
HPA = 15
"""Seconds between polls of the HPA, while there are pods."""


def of(spec: Pipeline, series: PipelineSources) -> Iterator[Alert]:
    """The alerts of a spec."""
    highest, fallback = spec.scaling.replicas.max, spec.scaling.fallback
    every = spec.scaling.poll.seconds if spec.scaling.replicas.min == 0 else HPA
    failures = fallback.failures if fallback else 1
    # The window must hold one poll more than KEDA's limit of failures, even with a long `scaling.poll` at zero pods.
    window = min(max(WINDOW, math.ceil((failures + 1) * every / 60) + 1), LONGEST)
    errors = series.scaler.increase("keda_scaler_detail_errors_total", window)
    yield Alert(
        "PenstockScalerErrors",
        "warning",
        errors,
        ">=",
        1,
        window,
        "KEDA cannot read the backlog.",
        f"Failed polls of a trigger in {window} minutes: {{value}}.",
    )
    if fallback is not None:
        yield Alert(
            "PenstockScalerFallback",
            "critical",
            errors,
            ">",
            min(failures, max(1, int(window * 60 // every) - 1)),
            1,
            "KEDA uses its fallback instead of the backlog.",
            f"{{value}} polls failed in {window} minutes. "
            f"KEDA keeps a fixed number of pods ({fallback.replicas}); if Redis is down, the pods that run.",
        )
    if spec.scaling.replicas.min < highest:  # else the number is fixed
        yield Alert(
            "PenstockAtMaxReplicas",
            "warning",
            series.hpa.gauge("kube_horizontalpodautoscaler_status_current_replicas"),
            ">=",
            highest,
            QUARTER,
            "The pipeline runs at its maximum number of pods.",
            f"`scaling.replicas.max` is {highest}; it cannot scale up further.",
        )
    desired = series.hpa.gauge("kube_horizontalpodautoscaler_status_desired_replicas")
    # Not the HPA's current replicas: these count pods that cannot start, so the difference vanishes at the next sync.
    ready = series.deployment.gauge("kube_deployment_status_replicas_ready")
    missing = Query(
        f"{desired.text} - {ready.text}", lambda value: {**desired.test_series(value + 1), **ready.test_series(1)}
    )
    yield Alert(
        "PenstockReplicasBehind",
        "warning",
        missing,
        ">",
        0,
        10,
        "Fewer pods are ready than the autoscaler wants.",
        "Missing pods: {value}. Check nodes, quota and the image.",
    )
