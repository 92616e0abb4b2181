"""Pods: how many, why, and how they leave."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import RATE_INTERVAL
from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_generate.rendering.placeholders import blank
from penstock_spec.kinds.pipeline.metrics import shutdown, working

TITLE = "Scaling"
REPLICAS = "kube_deployment_status_replicas"


def panels(on: Shown) -> Iterator[Panel]:
    """What Kubernetes and KEDA tell, and how workers leave."""
    yield from _pods(on)
    yield from _keda(on)
    yield from _leaving(on)


def _pods(on: Shown) -> Iterator[Panel]:
    there = on.hpa.gauge("kube_horizontalpodautoscaler_status_current_replicas").text
    wanted = on.hpa.gauge("kube_horizontalpodautoscaler_status_desired_replicas").text
    yield Panel(
        "Pods",
        "Those that are there and those that are wanted. The line is the most, where that is not the least as well.",
        "short",
        (Target(there, "there"), Target(wanted, "wanted")),
        steps=on.steps("PenstockAtMaxReplicas"),
    )
    yield Panel(
        "Missing pods",
        "Those that are wanted and are not ready: nodes, quota, the image, or what they say at their start.",
        "short",
        (on.asks("PenstockReplicasBehind", "missing"),),
        steps=on.steps("PenstockReplicasBehind"),
    )
    yield Panel(
        "Pods of the Deployment",
        "Also while the autoscaler rests, at no pods; and those that are ready.",
        "short",
        (
            Target(f"max({on.deployment.of(REPLICAS)})", "there"),
            Target(f"max({on.deployment.of('kube_deployment_status_replicas_ready')})", "ready"),
        ),
    )


def _keda(on: Shown) -> Iterator[Panel]:
    value = on.scaler.each("keda_scaler_metrics_value")
    yield Panel(
        "What KEDA reads",
        "The value of each trigger, of which the formula makes one. The line is what one pod is worth.",
        "short",
        (Target(f"max by (metric) ({value})", "{{metric}}"),),
        steps=(Step(blank("backlog per replica"), "blue"),),
    )
    active = on.scaler.each("keda_scaler_active")
    yield Panel(
        "Triggers that are active",
        "1 while there is something to do. When none is, pods go to none after `scaling.cooldown`.",
        "bool",
        (Target(f"max by (metric) ({active})", "{{metric}}"),),
    )
    yield Panel(
        "Polls that fail",
        "In a few polls' time. From the upper line on KEDA holds the pods of `scaling.fallback`, if there is one.",
        "short",
        (on.asks("PenstockScalerErrors", "failed"),),
        steps=on.steps("PenstockScalerErrors", "PenstockScalerFallback"),
    )
    wrong = on.scaler.each("keda_scaled_object_errors_total", f"rate({{}}[{RATE_INTERVAL}])")
    paused = on.scaler.gauge("keda_scaled_object_paused").text
    yield Panel(
        "Errors of the ScaledObject",
        "What KEDA could not do with it at all; and 1 while it is paused.",
        "short",
        (Target(f"sum({wrong})", "by the second"), Target(paused, "paused")),
    )


def _leaving(on: Shown) -> Iterator[Panel]:
    yield Panel("Workers that leave", "From the signal on.", "short", (on.gauge(shutdown.DRAINING, "leaving", "sum"),))
    yield Panel(
        "Drain",
        "How long a worker has been leaving. After the upper line, grace less margin, what still runs is cut off.",
        "s",
        (on.asks("PenstockDrainSlow", "longest"),),
        steps=(*on.steps("PenstockDrainSlow"), Step(blank("drain time"), "red")),
    )
    yield Panel(
        "Phases of the drain",
        "Stop: reading ends. Finish: what runs is finished or given back. Close: the worker deregisters.",
        "s",
        (on.by(shutdown.DRAIN_PHASE_SECONDS, "phase"),),
    )
    yield Panel(
        "Cut off",
        "Messages in an hour that the end of the drain cut off.",
        "short",
        (on.asks("PenstockDrainCutOff", "cut off"),),
        steps=on.steps("PenstockDrainCutOff"),
    )
    yield Panel(
        "Given back",
        "Messages that were given back and are not charged with an attempt, by cause.",
        "mps",
        (on.rates(working.GIVEN_BACK, "why"),),
    )
