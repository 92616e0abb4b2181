"""The first row: current numbers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.dashboards.panel_queries import firing, running_versions
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_spec.kinds.scheduler.metrics import running, state

TITLE = "At a glance"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    """Numbers in the colour of the alert on them."""
    yield firing("scheduler", "scheduler")
    yield Panel(
        "Degraded",
        "1 while a pod reports that too many jobs are overdue or ready.",
        "short",
        (query.alert_query("PenstockSchedulerDegraded", "degraded"),),
        "number",
        steps=query.steps("PenstockSchedulerDegraded"),
    )
    yield Panel(
        "Overdue",
        "How long the oldest due job has waited.",
        "s",
        (query.gauge(state.OLDEST_OVERDUE_SECONDS, "oldest"),),
        "number",
    )
    yield Panel("Running", "Running jobs.", "short", (query.gauge(running.RUNNING, "running", "sum"),), "number")
    yield Panel("Runs", "Finished runs per second.", "ops", (query.rate(running.RUNS, "runs"),), "number")
    yield Panel(
        "Failed runs",
        "The share of failed runs in 15 minutes.",
        "percentunit",
        (query.alert_query("PenstockRunsFail", "failed"),),
        "number",
        steps=query.steps("PenstockRunsFail"),
    )
    yield running_versions(query.info)
