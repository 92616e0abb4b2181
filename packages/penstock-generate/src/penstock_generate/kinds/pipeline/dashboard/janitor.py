"""The row on the janitor."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Target
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, stream

TITLE = "Janitor"


def panels(query: PipelineQueries) -> Iterator[Panel]:
    """The janitor itself, consumers and ghosts, and trimming."""
    yield from _itself(query)
    yield from _consumers(query)
    yield from _trimming(query)


def _itself(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Leader",
        "Janitors that are leader; there should be one. Without it only workers promote, take over and measure.",
        "short",
        (query.alert_query("PenstockJanitorMissing", "leaders"),),
        below="red",
        steps=query.steps("PenstockJanitorMissing"),
    )
    yield Panel(
        "Duration of a pass",
        "The janitor's pass over this pipeline.",
        "s",
        query.quantiles(janitor.JANITOR_PASS_SECONDS),
    )
    last = query.ours.of(janitor.JANITOR_LAST_PASS)
    yield Panel(
        "Since the last pass",
        "Time since the last pass without an error.",
        "s",
        (Target(f"time() - max({last} > 0)", "ago"),),
    )
    yield query.alert_panel(
        "PenstockJanitorErrors",
        "Failed tasks",
        "Failed tasks of the janitor in 15 minutes; its log says why.",
        "short",
        "failed",
    )
    yield Panel(
        "Failed tasks by name", "Failed tasks per second.", "ops", (query.rates(janitor.JANITOR_ERRORS, "task"),)
    )
    yield Panel(
        "Reconciled",
        "Repaired differences between Redis's pending list, which is the truth, and Penstock's side keys.",
        "ops",
        (query.rates(janitor.RECONCILED, "what"),),
    )


def _consumers(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Consumers",
        "Consumers in the group. Foreign ones were not registered by Penstock.",
        "short",
        (query.gauge(stream.CONSUMERS, "Penstock"), query.gauge(stream.FOREIGN_CONSUMERS, "foreign")),
    )
    yield Panel(
        "Oldest lease renewal",
        "The longest time since a live consumer renewed its lease, and since a foreign consumer was active.",
        "s",
        (query.gauge(stream.OLDEST_LEASE_SECONDS, "Penstock"), query.gauge(stream.FOREIGN_IDLE_SECONDS, "foreign")),
    )
    yield query.alert_panel(
        "PenstockGhostConsumers",
        "Ghost consumers",
        "Consumers whose process is gone and that are not removed yet.",
        "short",
        "ghosts",
    )
    yield Panel(
        "Ghosts removed",
        "Consumers without a process that were removed, once they owned no messages.",
        "ops",
        (query.rate(janitor.GHOSTS_REMOVED, "removed"),),
    )
    yield Panel(
        "Taken over",
        "Messages of workers with an expired lease, released for others.",
        "mps",
        (query.rate(maintenance.TAKEN_OVER, "taken over"),),
    )


def _trimming(query: PipelineQueries) -> Iterator[Panel]:
    yield Panel(
        "Expired dead letters",
        "Dead letters that were older than `dead_letter.keep`.",
        "mps",
        (query.rate(janitor.DEAD_EXPIRED, "expired"),),
    )
    if query.has("PenstockTrimHeldBack"):
        yield Panel(
            "Trimmed",
            "Finished entries that were removed from the stream by `stream.retention`.",
            "mps",
            (query.rate(janitor.TRIMMED, "trimmed"),),
        )
        yield Panel(
            "Entries not trimmed",
            "Entries older than the retention that stay, because a group has not finished them.",
            "short",
            (query.alert_query("PenstockTrimHeldBack", "all"), query.by(janitor.TRIM_HELD_BACK, "group")),
            steps=query.steps("PenstockTrimHeldBack"),
        )
