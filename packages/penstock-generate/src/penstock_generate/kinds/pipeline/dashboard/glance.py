"""The first row: current numbers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.dashboards.panel_queries import firing, running_versions
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_spec.kinds.pipeline.metrics import process, stream, working

TITLE = "At a glance"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    """Numbers in the colour of the alert on them."""
    yield firing("pipeline", "pipeline")
    yield Panel(
        "Work",
        "Messages that could be worked on now: new, ready or suspect.",
        "short",
        (query.sum("messages", stream.NEW, stream.READY, stream.SUSPECT),),
        "number",
    )
    yield Panel(
        "Oldest",
        "How long the oldest of them has waited. Red from `alerts.backlog_age` on.",
        "s",
        (query.alert_query("PenstockBacklogOld", "oldest"),),
        "number",
        steps=query.steps("PenstockBacklogOld"),
    )
    yield Panel("Running", "Running handlers.", "short", (query.gauge(working.RUNNING, "running", "sum"),), "number")
    yield Panel("Done", "Finished messages per second.", "mps", (query.rate(working.DONE, "done"),), "number")
    yield Panel(
        "New dead letters",
        "In 15 minutes. Red from `alerts.dead_letters` on.",
        "short",
        (query.alert_query("PenstockDeadLetters", "dead"),),
        "number",
        steps=query.steps("PenstockDeadLetters"),
    )
    yield running_versions(query.ours.of(process.INFO))
