"""What is put right beside the work, and what the watchdog sees."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Target
from penstock_generate.kinds.scheduler.dashboard.define import Shown
from penstock_spec.kinds.scheduler.metrics import cleanup, state

TITLE = "Tidying"


def panels(on: Shown) -> Iterator[Panel]:
    """The leader, what passes find, and signals."""
    leads = on.asks("PenstockNoLeader", "leaders") if on.has("PenstockNoLeader") else _leaders(on)
    yield Panel(
        "Leader",
        "Pods that lead; there should be one.",
        "short",
        (leads,),
        below="red" if on.has("PenstockNoLeader") else "green",
        steps=on.steps("PenstockNoLeader"),
    )
    if on.has("PenstockOrphansReturned"):
        yield Panel(
            "Orphans",
            "Jobs of lost pods in a quarter of an hour that are due again.",
            "short",
            (on.asks("PenstockOrphansReturned", "returned"),),
            steps=on.steps("PenstockOrphansReturned"),
        )
        yield Panel("Entries removed", "By why.", "ops", (on.rates(cleanup.ORPHANS_REMOVED, "why"),))
    yield Panel("Refreshes", "Jobs that were added and taken out.", "ops", (on.rates(cleanup.RECONCILED, "what"),))
    yield Panel("Time of a pass", "Of all kinds.", "s", on.quantiles(cleanup.PASS_SECONDS))
    yield Panel(
        "Failed passes",
        "In a quarter of an hour.",
        "short",
        (on.asks("PenstockTidyingErrors", "failed"),),
        steps=on.steps("PenstockTidyingErrors"),
    )
    yield Panel(
        "Passes cut off",
        "That ended at their budget and go on next time.",
        "ops",
        (on.rates(cleanup.PASSES_CUT_OFF, "what"),),
    )
    yield Panel("Watchdog", "1 while a signal shows; each has an alert.", "short", (on.by(state.WATCHDOG, "signal"),))


def _leaders(on: Shown) -> Target:
    return on.gauge(cleanup.LEADER, "leaders", "sum")
