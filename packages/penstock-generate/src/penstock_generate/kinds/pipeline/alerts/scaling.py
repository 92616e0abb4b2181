"""What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""

from __future__ import annotations

import math
from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Sources
from penstock_spec.kinds.pipeline.spec import Pipeline

WINDOW = 5
"""Minutes in which failed polls are counted, where that is enough to see several."""
LONGEST = 180
"""Minutes, however seldom KEDA looks: nobody hears of what is over for longer."""
HPA = 15
"""Seconds between looks while there are pods."""


def of(spec: Pipeline, asked: Sources) -> Iterator[Alert]:
    """What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""
    most, fallback = spec.scaling.replicas.max, spec.scaling.fallback
    every = spec.scaling.poll.seconds if spec.scaling.replicas.min == 0 else HPA
    failures = fallback.failures if fallback else 1
    # As many polls must fit in as fail before KEDA falls back, and another one, however long a sleeping pipeline's are.
    window = min(max(WINDOW, math.ceil((failures + 1) * every / 60) + 1), LONGEST)
    errors = asked.scaler.grown("keda_scaler_detail_errors_total", window)
    yield Alert(
        "PenstockScalerErrors",
        "warning",
        errors,
        ">=",
        1,
        window,
        "KEDA cannot read a trigger.",
        f"{{value}} polls failed in {window} minutes.",
    )
    if fallback is not None:
        yield Alert(
            "PenstockScalerFallback",
            "critical",
            errors,
            ">",
            min(failures, max(1, int(window * 60 // every) - 1)),
            1,
            "KEDA falls back.",
            f"{{value}} polls failed in {window} minutes. "
            f"Pods that it holds: {fallback.replicas}; without Redis, those that are there.",
        )
    if spec.scaling.replicas.min < most:  # else there are always as many as may be
        yield Alert(
            "PenstockAtMaxReplicas",
            "warning",
            asked.hpa.gauge("kube_horizontalpodautoscaler_status_current_replicas"),
            ">=",
            most,
            QUARTER,
            "There are as many pods as may be.",
            f"`scaling.replicas.max` is {most}; what waits beyond that, waits.",
        )
    desired = asked.hpa.gauge("kube_horizontalpodautoscaler_status_desired_replicas")
    # Not what the HPA calls its current replicas: those are what the Deployment asks for, so that a pod that cannot
    # start counts, and the difference is gone at the next sync.
    ready = asked.deployment.gauge("kube_deployment_status_replicas_ready")
    behind = Query(f"{desired.text} - {ready.text}", lambda value: {**desired.feed(value + 1), **ready.feed(1)})
    yield Alert(
        "PenstockReplicasBehind",
        "warning",
        behind,
        ">",
        0,
        10,
        "Pods that are wanted do not come.",
        "{value} pods are missing: nodes, quota or the image.",
    )
