"""What is tidied, and by whom."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel, Target
from penstock_generate.kinds.pipeline.dashboard.define import Shown
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, stream

TITLE = "Janitor"


def panels(on: Shown) -> Iterator[Panel]:
    """The janitor itself, consumers and ghosts, and what is trimmed."""
    yield from _itself(on)
    yield from _consumers(on)
    yield from _trimming(on)


def _itself(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Leader",
        "Janitors that lead; one should. Without one nothing is promoted, taken over or measured but by workers.",
        "short",
        (on.asks("PenstockJanitorMissing", "leaders"),),
        below="red",
        steps=on.steps("PenstockJanitorMissing"),
    )
    yield Panel("Time of a pass", "Over this pipeline.", "s", on.quantiles(janitor.JANITOR_PASS_SECONDS))
    last = on.ours.of(janitor.JANITOR_LAST_PASS)
    yield Panel(
        "Since the last pass",
        "How long ago the last pass ended without an error.",
        "s",
        (Target(f"time() - max({last} > 0)", "ago"),),
    )
    yield Panel(
        "Failed tasks",
        "Of the janitor's passes, in a quarter of an hour; its log says why.",
        "short",
        (on.asks("PenstockJanitorErrors", "failed"),),
        steps=on.steps("PenstockJanitorErrors"),
    )
    yield Panel("What fails", "Tasks by the second.", "ops", (on.rates(janitor.JANITOR_ERRORS, "task"),))
    yield Panel(
        "Put right",
        "Differences between Redis's pending list, which is the truth, and what stands beside it.",
        "ops",
        (on.rates(janitor.RECONCILED, "what"),),
    )


def _consumers(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Consumers",
        "In the group; foreign ones were registered by workers of another make.",
        "short",
        (on.gauge(stream.CONSUMERS, "ours"), on.gauge(stream.FOREIGN_CONSUMERS, "foreign")),
    )
    yield Panel(
        "Longest silence",
        "How long ago the living consumer that said nothing for longest was heard of; and the same of foreign ones.",
        "s",
        (on.gauge(stream.OLDEST_LEASE_SECONDS, "ours"), on.gauge(stream.FOREIGN_IDLE_SECONDS, "foreign")),
    )
    yield Panel(
        "Ghost consumers",
        "Consumers whose process is gone and that are not removed yet.",
        "short",
        (on.asks("PenstockGhostConsumers", "ghosts"),),
        steps=on.steps("PenstockGhostConsumers"),
    )
    yield Panel(
        "Ghosts removed",
        "Consumers without a process, removed when they own nothing any more.",
        "ops",
        (on.rate(janitor.GHOSTS_REMOVED, "removed"),),
    )
    yield Panel(
        "Taken over",
        "Messages of workers whose lease was over, released for others.",
        "mps",
        (on.rate(maintenance.TAKEN_OVER, "taken over"),),
    )


def _trimming(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Dead letters that expired",
        "Those that were older than `dead_letter.keep`.",
        "mps",
        (on.rate(janitor.DEAD_EXPIRED, "expired"),),
    )
    if on.has("PenstockTrimHeldBack"):
        yield Panel(
            "Trimmed",
            "Finished entries that left the stream, as `stream.retention` says.",
            "mps",
            (on.rate(janitor.TRIMMED, "trimmed"),),
        )
        yield Panel(
            "Trimming held back",
            "Entries beyond the retention that stay, as a group has not finished them.",
            "short",
            (on.asks("PenstockTrimHeldBack", "all"), on.by(janitor.TRIM_HELD_BACK, "group")),
            steps=on.steps("PenstockTrimHeldBack"),
        )
