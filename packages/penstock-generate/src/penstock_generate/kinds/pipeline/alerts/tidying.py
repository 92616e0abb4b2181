"""What the janitor does."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Series, minutes
from penstock_spec.kinds.pipeline.metrics import janitor
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """What the janitor does."""
    ghosts = spec.janitor.ghosts
    yield Alert(
        "PenstockGhostConsumers",
        "warning",
        ours.gauge(janitor.GHOSTS),
        ">",
        0,
        2 * minutes(ghosts.every),
        "Ghost consumers stay.",
        f"{{value}} consumers have no process; they are looked for every {ghosts.every}"
        + (", and only told: `janitor.ghosts.dry_run`." if ghosts.dry_run else "."),
    )
    if not spec.stream.retention.keeps_nothing:
        yield Alert(
            "PenstockTrimHeldBack",
            "warning",
            ours.gauge(janitor.TRIM_HELD_BACK, "sum"),
            ">",
            0,
            2 * minutes(spec.janitor.trim.every),
            "A group holds trimming back.",
            "{value} entries stay beyond the retention, as a group has not finished them.",
        )
    leads = ours.gauge(janitor.JANITOR_LEADER, "sum")
    yield Alert(
        "PenstockJanitorMissing",
        "critical",
        Query(f"({leads.text} or vector(0))", leads.feed),
        "<",
        1,
        3,
        "No janitor leads.",
        "Nothing is promoted, taken over or measured but by workers; a pipeline at zero sleeps on.",
    )
    yield Alert(
        "PenstockJanitorErrors",
        "warning",
        ours.grown(janitor.JANITOR_ERRORS, QUARTER),
        ">",
        5,
        0,
        "The janitor's tasks fail.",
        "{value} failed in a quarter of an hour; its log says why.",
    )
