"""The row on workers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_generate.rendering.placeholders import placeholder
from penstock_spec.kinds.pipeline.metrics import working

TITLE = "Work"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    """Throughput, utilization and processes."""
    yield from _throughput(query)
    yield from _room(query)
    yield from _processes(query)


def _throughput(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Throughput",
        "Finished messages per second.",
        "mps",
        (query.rate(working.DONE, "done"),),
    )
    yield Panel(
        "Deliveries",
        "Messages that workers received, by their previous state. Again: the worker already runs it.",
        "mps",
        (query.rates(working.DELIVERED, "source"), query.rate(working.REDELIVERED, "again")),
    )
    yield Panel(
        "Handling time",
        "How long handlers ran, for all outcomes.",
        "s",
        query.quantiles(working.HANDLING_SECONDS),
    )
    yield Panel(
        "Mean handling time",
        "The upper line is `work.timeout`; the lower, half of it, is the alert.",
        "s",
        (query.alert_query("PenstockHandlersSlow", "mean"),),
        steps=(*query.steps("PenstockHandlersSlow"), Step(placeholder("timeout"), "red")),
    )
    yield Panel(
        "Handler outcomes",
        "Attempts per second.",
        "ops",
        (query.rates(f"{working.HANDLING_SECONDS.name}_count", "outcome"),),
        "areas",
    )
    yield Panel(
        "Time to settle",
        "From the end of a handler until Redis accepted the result.",
        "s",
        query.quantiles(working.SETTLE_SECONDS),
    )


def _room(query: PipelineQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockSaturated",
        "Saturation",
        "The share of slots that are busy. At the line no slot is free.",
        "percentunit",
        "busy",
    )
    yield Panel(
        "Slots",
        "Messages that all workers can run at a time: `work.concurrency` for each worker.",
        "short",
        (
            query.gauge(working.RUNNING, "running", "sum"),
            query.gauge(working.SLOTS_FREE, "free", "sum"),
            query.gauge(working.SLOTS, "all", "sum"),
        ),
    )
    if query.has("PenstockPendingLimitReached"):
        yield query.alert_panel(
            "PenstockPendingLimitReached",
            "Workers at their pending limit",
            "1 while a worker has `work.max_pending_per_worker` running and parked messages, and reads no new ones.",
            "short",
            "at the limit",
        )
    yield query.alert_panel(
        "PenstockResultsRefused",
        "Results refused by Redis",
        "The most results and dead letters that one worker repeats.",
        "short",
        "refused",
    )
    yield query.alert_panel(
        "PenstockUnsettled",
        "Results not accepted by Redis",
        "Workers repeat them; each holds a slot.",
        "short",
        "unsettled",
    )


def _processes(query: PipelineQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockLoopLag",
        "Event loop",
        "The longest delay of a worker's event loop in 30 s. A blocked loop stops all its handlers.",
        "s",
        "longest delay",
    )
    yield Panel(
        "Child processes",
        "Child processes for isolated handlers, and how many start and crash per second.",
        "short",
        (
            query.gauge(working.CHILDREN, "current", "sum"),
            query.rate(working.CHILDREN_STARTED, "started"),
            query.rate(working.CHILDREN_CRASHED, "crashed"),
        ),
    )
    memory = query.of_process("process_resident_memory_bytes", per_second=False)
    yield Panel(
        "Memory",
        "Memory of each worker's main process without children. At the line (`resources.memory`) the pod is killed.",
        "bytes",
        (Target(memory, "{{instance}}"),),
        steps=(Step(placeholder("memory"), "red"),),
    )
    processor = query.of_process("process_cpu_seconds_total", per_second=True)
    yield Panel(
        "CPU",
        "CPUs that each worker's main process uses; Python code uses one at a time.",
        "short",
        (Target(processor, "{{instance}}"),),
    )
