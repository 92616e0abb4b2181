"""The row on waiting messages."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Step
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_generate.rendering.placeholders import placeholder
from penstock_spec.kinds.pipeline.metrics import maintenance, stream, working
from penstock_spec.metrics import Metric

TITLE = "Backlog"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Ready for work",
        "New: not read yet. Ready: due for a retry, or given back. Suspect: its worker was lost; it runs isolated.",
        "short",
        tuple(query.gauge(one, name) for name, one in _named(stream.NEW, stream.READY, stream.SUSPECT)),
        "areas",
    )
    yield query.alert_panel(
        "PenstockBacklogOld",
        "Age of the oldest message",
        "How long the oldest message that could be worked on now has waited. The line is `alerts.backlog_age`.",
        "s",
        "oldest",
    )
    yield Panel(
        "Backlog and its limit",
        "Messages that count towards `stream.backlog.limit`, the upper line. The lower line is the alert.",
        "short",
        (query.alert_query("PenstockBacklogNearLimit", "messages"),),
        steps=(*query.steps("PenstockBacklogNearLimit"), Step(placeholder("backlog limit"), "red")),
    )
    yield query.alert_panel(
        "PenstockNoProgress",
        "Messages without progress",
        "Messages that could be worked on now while none is finished. It should be empty.",
        "short",
        "messages",
    )
    yield Panel(
        "Pending",
        "Messages that were read but are neither done nor dead, and those of them that workers hold.",
        "short",
        tuple(query.gauge(one, name) for name, one in _named(stream.PENDING, stream.HELD)),
    )
    yield Panel(
        "Parked and delayed",
        "Parked: waits for its retry. Delayed: was sent for later.",
        "short",
        tuple(query.gauge(one, name) for name, one in _named(stream.PARKED, stream.DELAYED)),
        "areas",
    )
    yield Panel(
        "Promoted",
        "Parked and delayed messages that became due, per second.",
        "mps",
        (query.rates(maintenance.PROMOTED, "source"),),
    )
    yield Panel(
        "Stream length and lag",
        "Entries in the stream, and the group's lag according to Redis, which does not always know it.",
        "short",
        tuple(query.gauge(one, name) for name, one in _named(stream.STREAM_LENGTH, stream.LAG)),
    )
    if query.has("PenstockOtherGroup"):
        yield query.alert_panel(
            "PenstockOtherGroup",
            "Groups of the stream",
            "Consumer groups that read the stream. It should be one: finished messages stay while there are others.",
            "short",
            "groups",
        )
        yield Panel(
            "Finished and still there",
            "Finished messages that stay because another group reads the stream. They are no backlog, but use memory.",
            "short",
            (query.gauge(stream.FINISHED, "finished"),),
        )
    yield Panel(
        "Time in the queue",
        "From the send until a worker first received the message.",
        "s",
        query.quantiles(working.WAITING_SECONDS),
    )


def _named(*metrics: Metric) -> Iterator[tuple[str, Metric]]:
    return ((metric.name.removeprefix("penstock_").replace("_", " "), metric) for metric in metrics)
