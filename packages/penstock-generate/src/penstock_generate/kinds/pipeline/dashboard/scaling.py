"""The row on pods and scaling."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import RATE_INTERVAL
from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_generate.rendering.placeholders import placeholder
from penstock_spec.kinds.pipeline.metrics import shutdown, working

TITLE = "Scaling"
REPLICAS = "kube_deployment_status_replicas"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    """Pods, KEDA, and shutdowns."""
    yield from _pods(query)
    yield from _keda(query)
    yield from _shutdowns(query)


def _pods(query: PipelineQueries) -> Iterator[Panel]:
    there = query.hpa.gauge("kube_horizontalpodautoscaler_status_current_replicas").text
    wanted = query.hpa.gauge("kube_horizontalpodautoscaler_status_desired_replicas").text
    yield Panel(
        "Pods",
        "Current and desired pods of the HPA. The line is the maximum, unless the number is fixed.",
        "short",
        (Target(there, "current"), Target(wanted, "desired")),
        steps=query.steps("PenstockAtMaxReplicas"),
    )
    yield query.alert_panel(
        "PenstockReplicasBehind",
        "Missing pods",
        "Desired pods that are not ready: check nodes, quota, the image and their logs.",
        "short",
        "missing",
    )
    yield Panel(
        "Pods of the Deployment",
        "Pods of the Deployment, even while the HPA is inactive at zero pods; and those that are ready.",
        "short",
        (
            Target(f"max({query.deployment.of(REPLICAS)})", "current"),
            Target(f"max({query.deployment.of('kube_deployment_status_replicas_ready')})", "ready"),
        ),
    )


def _keda(query: PipelineQueries) -> Iterator[Panel]:
    value = query.scaler.each("keda_scaler_metrics_value")
    yield Panel(
        "Values that KEDA reads",
        "The value of each trigger, before the formula. The line is `scaling.backlog_per_replica`.",
        "short",
        (Target(f"max by (metric) ({value})", "{{metric}}"),),
        steps=(Step(placeholder("backlog per replica"), "blue"),),
    )
    active = query.scaler.each("keda_scaler_active")
    yield Panel(
        "Active triggers",
        "1 while a trigger has work. When none is active, KEDA scales to zero after `scaling.cooldown`.",
        "bool",
        (Target(f"max by (metric) ({active})", "{{metric}}"),),
    )
    yield Panel(
        "Failed polls",
        "Failed polls of triggers. From the upper line on KEDA uses `scaling.fallback`, if it is set.",
        "short",
        (query.alert_query("PenstockScalerErrors", "failed"),),
        steps=query.steps("PenstockScalerErrors", "PenstockScalerFallback"),
    )
    errors = query.scaler.each("keda_scaled_object_errors_total", f"rate({{}}[{RATE_INTERVAL}])")
    paused = query.scaler.gauge("keda_scaled_object_paused").text
    yield Panel(
        "Errors of the ScaledObject",
        "Errors of KEDA for the ScaledObject per second; and 1 while it is paused.",
        "short",
        (Target(f"sum({errors})", "errors"), Target(paused, "paused")),
    )


def _shutdowns(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Workers shutting down",
        "Workers that received SIGTERM and still run.",
        "short",
        (query.gauge(shutdown.DRAINING, "shutting down", "sum"),),
    )
    yield Panel(
        "Drain",
        "How long a worker has been draining. At the upper line, grace minus margin, running messages are given back.",
        "s",
        (query.alert_query("PenstockDrainSlow", "longest"),),
        steps=(*query.steps("PenstockDrainSlow"), Step(placeholder("drain time"), "red")),
    )
    yield Panel(
        "Drain by phase",
        "Stop: reading ends. Finish: running messages are finished or given back. Close: the worker deregisters.",
        "s",
        (query.by(shutdown.DRAIN_PHASE_SECONDS, "phase"),),
    )
    yield query.alert_panel(
        "PenstockDrainCutOff",
        "Cut off",
        "Running messages that were given back at the end of a drain, in an hour.",
        "short",
        "cut off",
    )
    yield Panel(
        "Given back",
        "Messages that were given back without counting an attempt, by cause.",
        "mps",
        (query.rates(working.GIVEN_BACK, "why"),),
    )
