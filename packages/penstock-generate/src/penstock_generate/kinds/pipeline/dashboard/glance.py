"""The first row: current numbers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.dashboards.panel_queries import firing, what_runs
from penstock_generate.kinds.pipeline.dashboard.variant import Shown
from penstock_spec.kinds.pipeline.metrics import process, stream, working

TITLE = "At a glance"


def panels(on: Shown) -> Iterator[Panel]:
    """Numbers in the colour of the alert on them."""
    yield firing("pipeline", "pipeline")
    yield Panel(
        "Work",
        "Messages that are ready for work now: new, ready or suspect.",
        "short",
        (on.sum("messages", stream.NEW, stream.READY, stream.SUSPECT),),
        "number",
    )
    yield Panel(
        "Oldest",
        "How long the oldest of them has waited. Red from `alerts.backlog_age` on.",
        "s",
        (on.asks("PenstockBacklogOld", "oldest"),),
        "number",
        steps=on.steps("PenstockBacklogOld"),
    )
    yield Panel("Running", "Running handlers.", "short", (on.gauge(working.RUNNING, "running", "sum"),), "number")
    yield Panel("Done", "Finished messages per second.", "mps", (on.rate(working.DONE, "done"),), "number")
    yield Panel(
        "New dead letters",
        "In 15 minutes. Red from `alerts.dead_letters` on.",
        "short",
        (on.asks("PenstockDeadLetters", "dead"),),
        "number",
        steps=on.steps("PenstockDeadLetters"),
    )
    yield what_runs(on.ours.of(process.INFO))
