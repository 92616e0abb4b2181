"""The row on maintenance."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Target
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_spec.kinds.scheduler.metrics import cleanup, state

TITLE = "Maintenance"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    """The leader, passes, and the watchdog."""
    leads = query.alert_query("PenstockNoLeader", "leaders") if query.has("PenstockNoLeader") else _leaders(query)
    yield Panel(
        "Leader",
        "Pods that are leader; there should be one.",
        "short",
        (leads,),
        below="red" if query.has("PenstockNoLeader") else "green",
        steps=query.steps("PenstockNoLeader"),
    )
    if query.has("PenstockOrphansReturned"):
        yield query.alert_panel(
            "PenstockOrphansReturned",
            "Orphans returned",
            "Jobs of lost pods that were made due again, in 15 minutes.",
            "short",
            "returned",
        )
        yield Panel("Removed entries", "By reason.", "ops", (query.rates(cleanup.ORPHANS_REMOVED, "why"),))
    yield Panel(
        "Refreshes", "Jobs that refreshes added and removed.", "ops", (query.rates(cleanup.RECONCILED, "what"),)
    )
    yield Panel("Duration of a pass", "All kinds of passes.", "s", query.quantiles(cleanup.PASS_SECONDS))
    yield query.alert_panel(
        "PenstockTidyingErrors",
        "Failed passes",
        "In 15 minutes.",
        "short",
        "failed",
    )
    yield Panel(
        "Passes cut off",
        "Passes that ran out of time and continue in the next one.",
        "ops",
        (query.rates(cleanup.PASSES_CUT_OFF, "what"),),
    )
    yield Panel(
        "Watchdog", "1 while a signal is on; each has an alert.", "short", (query.by(state.WATCHDOG, "signal"),)
    )


def _leaders(query: SchedulerQueries) -> Target:
    return query.gauge(cleanup.LEADER, "leaders", "sum")
