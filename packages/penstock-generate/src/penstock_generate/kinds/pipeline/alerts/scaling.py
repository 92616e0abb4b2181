"""What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Sources
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, asked: Sources) -> Iterator[Alert]:
    """What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""
    most, fallback = spec.scaling.replicas.max, spec.scaling.fallback
    errors = asked.scaler.grown("keda_scaler_detail_errors_total", 5)
    yield Alert(
        "PenstockScalerErrors",
        "warning",
        errors,
        ">=",
        1,
        5,
        "KEDA cannot read a trigger.",
        "{value} polls failed in 5 minutes.",
    )
    if fallback is not None:
        yield Alert(
            "PenstockScalerFallback",
            "critical",
            errors,
            ">",
            fallback.failures,
            1,
            "KEDA falls back.",
            f"{{value}} polls failed. Pods that it holds: {fallback.replicas}; without Redis, those that are there.",
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
