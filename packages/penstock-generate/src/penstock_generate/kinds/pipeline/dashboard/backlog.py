"""What waits, where, and for how long."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_generate.rendering.placeholders import blank
from penstock_spec.kinds.pipeline.metrics import maintenance, stream, working
from penstock_spec.metrics import Metric

TITLE = "Backlog"


def panels(on: Shown) -> Iterator[Panel]:
    """What waits, where, and for how long."""
    yield Panel(
        "What could be worked on",
        "New: nobody has read it. Ready: due again, or given back. Suspect: its worker was lost, so it is run apart.",
        "short",
        tuple(on.gauge(one, name) for name, one in _named(stream.NEW, stream.READY, stream.SUSPECT)),
        "areas",
    )
    yield Panel(
        "Age of the backlog",
        "How long the oldest message has waited that could be worked on. The line is `alerts.backlog_age`.",
        "s",
        (on.asks("PenstockBacklogOld", "oldest"),),
        steps=on.steps("PenstockBacklogOld"),
    )
    yield Panel(
        "Backlog against its limit",
        "What counts for `stream.backlog.limit`, the upper line; the lower is where somebody is told.",
        "short",
        (on.asks("PenstockBacklogNearLimit", "messages"),),
        steps=(*on.steps("PenstockBacklogNearLimit"), Step(blank("backlog limit"), "red")),
    )
    yield Panel(
        "Waiting while nothing is done",
        "Messages that could be worked on, in times in which none was finished. There should be nothing here.",
        "short",
        (on.asks("PenstockNoProgress", "messages"),),
        steps=on.steps("PenstockNoProgress"),
    )
    yield Panel(
        "Pending",
        "Messages that were read and are neither done nor dead, and those of them that consumers hold.",
        "short",
        tuple(on.gauge(one, name) for name, one in _named(stream.PENDING, stream.HELD)),
    )
    yield Panel(
        "Not due yet",
        "Parked: waits for its retry. Delayed: was sent for later.",
        "short",
        tuple(on.gauge(one, name) for name, one in _named(stream.PARKED, stream.DELAYED)),
        "areas",
    )
    yield Panel(
        "Came due",
        "Messages whose retry or whose time came, by the second.",
        "mps",
        (on.rates(maintenance.PROMOTED, "source"),),
    )
    yield Panel(
        "Length and lag",
        "Entries in the stream, and the lag of the group as Redis itself has it; Redis does not always know it.",
        "short",
        tuple(on.gauge(one, name) for name, one in _named(stream.STREAM_LENGTH, stream.LAG)),
    )
    yield Panel(
        "Time in the queue",
        "From when a message entered the stream until a worker first had it.",
        "s",
        on.quantiles(working.WAITING_SECONDS),
    )


def _named(*metrics: Metric) -> Iterator[tuple[str, Metric]]:
    return ((metric.name.removeprefix("penstock_").replace("_", " "), metric) for metric in metrics)
