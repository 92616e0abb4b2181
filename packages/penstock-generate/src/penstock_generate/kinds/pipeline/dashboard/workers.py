"""The row on workers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.pipeline.dashboard.variant import Shown
from penstock_generate.rendering.placeholders import blank
from penstock_spec.kinds.pipeline.metrics import working

TITLE = "Work"


def panels(on: Shown) -> Iterator[Panel]:
    """Throughput, utilization and processes."""
    yield from _throughput(on)
    yield from _room(on)
    yield from _processes(on)


def _throughput(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Throughput",
        "Finished messages per second.",
        "mps",
        (on.rate(working.DONE, "done"),),
    )
    yield Panel(
        "Deliveries",
        "Messages that workers received, by their previous state. Again: the worker already runs it.",
        "mps",
        (on.rates(working.DELIVERED, "source"), on.rate(working.REDELIVERED, "again")),
    )
    yield Panel(
        "Handling time",
        "How long handlers ran, for all outcomes.",
        "s",
        on.quantiles(working.HANDLING_SECONDS),
    )
    yield Panel(
        "Mean handling time",
        "The upper line is `work.timeout`; the lower, half of it, is the alert.",
        "s",
        (on.asks("PenstockHandlersSlow", "mean"),),
        steps=(*on.steps("PenstockHandlersSlow"), Step(blank("timeout"), "red")),
    )
    yield Panel(
        "Handler outcomes",
        "Attempts per second.",
        "ops",
        (on.rates(f"{working.HANDLING_SECONDS.name}_count", "outcome"),),
        "areas",
    )
    yield Panel(
        "Time to settle",
        "From the end of a handler until Redis accepted the result.",
        "s",
        on.quantiles(working.SETTLE_SECONDS),
    )


def _room(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Saturation",
        "The share of slots that are busy. At the line no slot is free.",
        "percentunit",
        (on.asks("PenstockSaturated", "taken"),),
        steps=on.steps("PenstockSaturated"),
    )
    yield Panel(
        "Slots",
        "Messages that all workers can run at a time: `work.concurrency` for each worker.",
        "short",
        (
            on.gauge(working.RUNNING, "running", "sum"),
            on.gauge(working.SLOTS_FREE, "free", "sum"),
            on.gauge(working.SLOTS, "all", "sum"),
        ),
    )
    yield Panel(
        "Workers at their pending limit",
        "1 while a worker owns `work.max_pending_per_worker` messages and reads no new ones.",
        "short",
        (on.asks("PenstockPendingLimitReached", "at the limit"),),
        steps=on.steps("PenstockPendingLimitReached"),
    )
    yield Panel(
        "Results not accepted by Redis",
        "Workers repeat them; each holds a slot.",
        "short",
        (on.asks("PenstockUnsettled", "unsettled"),),
        steps=on.steps("PenstockUnsettled"),
    )


def _processes(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Event loop",
        "The longest delay of a worker's event loop in 30 s. A blocked loop stops all its handlers.",
        "s",
        (on.asks("PenstockLoopLag", "longest delay"),),
        steps=on.steps("PenstockLoopLag"),
    )
    yield Panel(
        "Child processes",
        "Child processes for isolated handlers, and how many start and crash per second.",
        "short",
        (
            on.gauge(working.CHILDREN, "current", "sum"),
            on.rate(working.CHILDREN_STARTED, "started"),
            on.rate(working.CHILDREN_CRASHED, "crashed"),
        ),
    )
    memory = on.of_process("process_resident_memory_bytes", per_second=False)
    yield Panel(
        "Memory",
        "Memory of each worker's main process without children. At the line (`resources.memory`) the pod is killed.",
        "bytes",
        (Target(memory, "{{instance}}"),),
        steps=(Step(blank("memory"), "red"),),
    )
    processor = on.of_process("process_cpu_seconds_total", per_second=True)
    yield Panel(
        "CPU",
        "CPUs that each worker's main process uses; Python code uses one at a time.",
        "short",
        (Target(processor, "{{instance}}"),),
    )
