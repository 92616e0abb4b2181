"""What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Elsewhere, Query, Series
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, scaler: Elsewhere, hpa: Series) -> Iterator[Alert]:
    """What KEDA and the HPA do; their numbers are told by KEDA and kube-state-metrics."""
    most, fallback = spec.scaling.replicas.max, spec.scaling.fallback
    errors = "keda_scaler_detail_errors_total"
    yield Alert(
        "PenstockScalerErrors",
        "warning",
        scaler.grown(errors, 5),
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
            scaler.grown(errors, 5),
            ">",
            fallback.failures,
            1,
            "KEDA falls back.",
            f"{{value}} polls failed. Pods that it holds: {fallback.replicas}; without Redis, those that are there.",
        )
    current = hpa.gauge("kube_horizontalpodautoscaler_status_current_replicas")
    yield Alert(
        "PenstockAtMaxReplicas",
        "warning",
        current,
        ">=",
        most,
        QUARTER,
        "There are as many pods as may be.",
        f"`scaling.replicas.max` is {most}; what waits beyond that, waits.",
    )
    desired = hpa.gauge("kube_horizontalpodautoscaler_status_desired_replicas")
    behind = Query(f"{desired.text} - {current.text}", lambda value: {**desired.feed(value + 1), **current.feed(1)})
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
