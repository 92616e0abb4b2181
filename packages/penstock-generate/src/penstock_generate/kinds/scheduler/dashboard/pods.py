"""The row on pods."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_generate.rendering.placeholders import placeholder
from penstock_spec.kinds.scheduler.metrics import process

TITLE = "Pods"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    there = query.deployment
    yield Panel(
        "Pods",
        "Pods of the Deployment, and those that are ready.",
        "short",
        (
            Target(there.gauge("kube_deployment_status_replicas").text, "current"),
            Target(there.gauge("kube_deployment_status_replicas_ready").text, "ready"),
        ),
    )
    if query.has("PenstockReplicasBehind"):
        yield query.alert_panel(
            "PenstockSchedulerAbsent",
            "Scheduler absent",
            "1 while no pod exports metrics.",
            "short",
            "absent",
        )
        yield query.alert_panel(
            "PenstockReplicasBehind",
            "Missing pods",
            "Pods of `replicas` that are not ready.",
            "short",
            "missing",
        )
    yield Panel("Pods shutting down", "Pods that received SIGTERM and still run.", "short",
        (query.gauge(process.DRAINING, "shutting down", "sum"),),
    )  # fmt: skip
    yield query.alert_panel(
        "PenstockLeasesLost",
        "Leases lost",
        "Running pods that failed to renew their lease for `work.lease`, in 15 minutes.",
        "short",
        "lost",
    )
    yield query.alert_panel(
        "PenstockLoopLag",
        "Event loop",
        "The longest delay of a pod's event loop in 30 s. A blocked loop stops all its jobs.",
        "s",
        "longest delay",
    )
    memory = query.of_process("process_resident_memory_bytes", per_second=False)
    yield Panel(
        "Memory",
        "Memory of each pod's process. At the line (`resources.memory`) the pod is killed.",
        "bytes",
        (Target(memory, "{{instance}}"),),
        steps=(Step(placeholder("memory"), "red"),),
    )
    processor = query.of_process("process_cpu_seconds_total", per_second=True)
    yield Panel(
        "CPU",
        "CPUs that each pod's process uses; Python code uses one at a time.",
        "short",
        (Target(processor, "{{instance}}"),),
    )
