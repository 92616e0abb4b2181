"""The row on maintenance."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Target
from penstock_generate.kinds.scheduler.dashboard.variant import Shown
from penstock_spec.kinds.scheduler.metrics import cleanup, state

TITLE = "Maintenance"


def panels(on: Shown) -> Iterator[Panel]:
    """The leader, passes, and the watchdog."""
    leads = on.asks("PenstockNoLeader", "leaders") if on.has("PenstockNoLeader") else _leaders(on)
    yield Panel(
        "Leader",
        "Pods that are leader; there should be one.",
        "short",
        (leads,),
        below="red" if on.has("PenstockNoLeader") else "green",
        steps=on.steps("PenstockNoLeader"),
    )
    if on.has("PenstockOrphansReturned"):
        yield Panel(
            "Orphans returned",
            "Jobs of lost pods that were made due again, in 15 minutes.",
            "short",
            (on.asks("PenstockOrphansReturned", "returned"),),
            steps=on.steps("PenstockOrphansReturned"),
        )
        yield Panel("Removed entries", "By reason.", "ops", (on.rates(cleanup.ORPHANS_REMOVED, "why"),))
    yield Panel("Refreshes", "Jobs that refreshes added and removed.", "ops", (on.rates(cleanup.RECONCILED, "what"),))
    yield Panel("Duration of a pass", "All kinds of passes.", "s", on.quantiles(cleanup.PASS_SECONDS))
    yield Panel(
        "Failed passes",
        "In 15 minutes.",
        "short",
        (on.asks("PenstockTidyingErrors", "failed"),),
        steps=on.steps("PenstockTidyingErrors"),
    )
    yield Panel(
        "Passes cut off",
        "Passes that ran out of time and continue in the next one.",
        "ops",
        (on.rates(cleanup.PASSES_CUT_OFF, "what"),),
    )
    yield Panel("Watchdog", "1 while a signal is on; each has an alert.", "short", (on.by(state.WATCHDOG, "signal"),))


def _leaders(on: Shown) -> Target:
    return on.gauge(cleanup.LEADER, "leaders", "sum")
