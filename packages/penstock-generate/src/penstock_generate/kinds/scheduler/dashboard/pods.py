"""Its pods."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.scheduler.dashboard.define import Shown
from penstock_generate.rendering.placeholders import blank
from penstock_spec.kinds.scheduler.metrics import process

TITLE = "Pods"


def panels(on: Shown) -> Iterator[Panel]:
    """How many there are, and how they are."""
    there = on.deployment
    yield Panel(
        "Pods",
        "Those of the Deployment, and those that are ready.",
        "short",
        (
            Target(there.gauge("kube_deployment_status_replicas").text, "there"),
            Target(there.gauge("kube_deployment_status_replicas_ready").text, "ready"),
        ),
    )
    if on.has("PenstockReplicasBehind"):
        yield Panel(
            "No pod",
            "1 while no pod tells anything.",
            "short",
            (on.asks("PenstockSchedulerAbsent", "absent"),),
            steps=on.steps("PenstockSchedulerAbsent"),
        )
        yield Panel(
            "Missing pods",
            "Of those that `replicas` asks for.",
            "short",
            (on.asks("PenstockReplicasBehind", "missing"),),
            steps=on.steps("PenstockReplicasBehind"),
        )
    yield Panel("Pods that leave", "From the signal to the end.", "short",
        (on.gauge(process.DRAINING, "leaving", "sum"),),
    )  # fmt: skip
    yield Panel(
        "Leases lost",
        "Pods in a quarter of an hour that said nothing for `work.lease` and lived on.",
        "short",
        (on.asks("PenstockLeasesLost", "lost"),),
        steps=on.steps("PenstockLeasesLost"),
    )
    yield Panel(
        "Event loop",
        "The worst delay of a pod's event loop in half a minute: what blocks it holds up everything.",
        "s",
        (on.asks("PenstockLoopLag", "worst delay"),),
        steps=on.steps("PenstockLoopLag"),
    )
    memory = on.of_process("process_resident_memory_bytes", per_second=False)
    yield Panel(
        "Memory",
        "Of each pod's process. At the line (`resources.memory`) the pod is killed.",
        "bytes",
        (Target(memory, "{{instance}}"),),
        steps=(Step(blank("memory"), "red"),),
    )
    processor = on.of_process("process_cpu_seconds_total", per_second=True)
    yield Panel(
        "Processors",
        "How many each pod's process keeps busy; Python runs on one at a time.",
        "short",
        (Target(processor, "{{instance}}"),),
    )
