"""What workers do."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step, Target
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_generate.rendering.placeholders import blank
from penstock_spec.kinds.pipeline.metrics import working

TITLE = "Work"


def panels(on: Shown) -> Iterator[Panel]:
    """How much, how fast, and how full the workers are."""
    yield from _throughput(on)
    yield from _room(on)
    yield from _processes(on)


def _throughput(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Throughput",
        "Messages that are done, by the second.",
        "mps",
        (on.rate(working.DONE, "done"),),
    )
    yield Panel(
        "Deliveries",
        "Messages that workers received, by the state that they came from; again: what runs there already.",
        "mps",
        (on.rates(working.DELIVERED, "source"), on.rate(working.REDELIVERED, "again")),
    )
    yield Panel(
        "Handling time",
        "How long handlers ran, however they ended.",
        "s",
        on.quantiles(working.HANDLING_SECONDS),
    )
    yield Panel(
        "Mean handling time",
        "The lower line is half of `work.timeout`, where somebody is told; the upper is the timeout.",
        "s",
        (on.asks("PenstockHandlersSlow", "mean"),),
        steps=(*on.steps("PenstockHandlersSlow"), Step(blank("timeout"), "red")),
    )
    yield Panel(
        "How handlers end",
        "Attempts by the second.",
        "ops",
        (on.rates(f"{working.HANDLING_SECONDS.name}_count", "outcome"),),
        "areas",
    )
    yield Panel(
        "Time to settle",
        "From the end of a handler until Redis took the outcome.",
        "s",
        on.quantiles(working.SETTLE_SECONDS),
    )


def _room(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Saturation",
        "The share of all slots in which something runs. At the line there is no room.",
        "percentunit",
        (on.asks("PenstockSaturated", "taken"),),
        steps=on.steps("PenstockSaturated"),
    )
    yield Panel(
        "Slots",
        "Messages that all workers together may run at a time; `work.concurrency` says how many one may.",
        "short",
        (
            on.gauge(working.RUNNING, "running", "sum"),
            on.gauge(working.SLOTS_FREE, "free", "sum"),
            on.gauge(working.SLOTS, "all", "sum"),
        ),
    )
    yield Panel(
        "Workers that read nothing new",
        "1 while one of them has as many messages as `work.max_pending_per_worker` allows.",
        "short",
        (on.asks("PenstockPendingLimitReached", "at the limit"),),
        steps=on.steps("PenstockPendingLimitReached"),
    )
    yield Panel(
        "Outcomes that Redis has not taken",
        "They are kept and repeated, and each holds a slot.",
        "short",
        (on.asks("PenstockUnsettled", "unsettled"),),
        steps=on.steps("PenstockUnsettled"),
    )


def _processes(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Event loop",
        "The worst delay of a worker's event loop in half a minute: what blocks it holds up everything.",
        "s",
        (on.asks("PenstockLoopLag", "worst delay"),),
        steps=on.steps("PenstockLoopLag"),
    )
    yield Panel(
        "Child processes",
        "Processes that are there to run handlers apart, and how many are started and crash by the second.",
        "short",
        (
            on.gauge(working.CHILDREN, "there", "sum"),
            on.rate(working.CHILDREN_STARTED, "started"),
            on.rate(working.CHILDREN_CRASHED, "crashed"),
        ),
    )
    memory = on.of_process("process_resident_memory_bytes", per_second=False)
    yield Panel(
        "Memory",
        "Of each worker's own process, without its children. At the line (`resources.memory`) the pod is killed.",
        "bytes",
        (Target(memory, "{{instance}}"),),
        steps=(Step(blank("memory"), "red"),),
    )
    processor = on.of_process("process_cpu_seconds_total", per_second=True)
    yield Panel(
        "Processors",
        "How many each worker's own process keeps busy; Python runs on one at a time.",
        "short",
        (Target(processor, "{{instance}}"),),
    )
