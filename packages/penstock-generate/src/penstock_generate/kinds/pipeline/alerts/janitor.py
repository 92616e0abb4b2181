"""Alerts on the janitor."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, Alert, Query, Series, minutes
from penstock_spec.kinds.pipeline.metrics import janitor
from penstock_spec.kinds.pipeline.spec import Pipeline


def of(spec: Pipeline, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    ghosts = spec.janitor.ghosts
    yield Alert(
        "PenstockGhostConsumers",
        "warning",
        ours.gauge(janitor.GHOSTS),
        ">",
        0,
        2 * minutes(ghosts.every),
        "Consumers without a process remain in the group.",
        f"Consumers without a process: {{value}}. The janitor looks for them every {ghosts.every}"
        + (" but only reports them (`janitor.ghosts.dry_run`)." if ghosts.dry_run else "."),
    )
    if not spec.stream.retention.keeps_nothing:
        yield Alert(
            "PenstockTrimHeldBack",
            "warning",
            ours.gauge(janitor.TRIM_HELD_BACK, "sum"),
            ">",
            0,
            2 * minutes(spec.janitor.trim.every),
            "A consumer group prevents trimming.",
            "Entries that stay longer than their retention, because a group has not finished them: {value}.",
        )
    leads = ours.gauge(janitor.JANITOR_LEADER, "sum")
    yield Alert(
        "PenstockJanitorMissing",
        "critical",
        Query(f"({leads.text} or vector(0))", leads.test_series),
        "<",
        1,
        3,
        "No janitor is running as leader.",
        "Only workers promote, take over and measure; a pipeline at zero pods does not wake up for retries.",
    )
    yield Alert(
        "PenstockJanitorErrors",
        "warning",
        ours.increase(janitor.JANITOR_ERRORS, QUARTER),
        ">",
        5,
        0,
        "The janitor fails.",
        "{value} of its tasks failed in 15 minutes; its log says why.",
    )
