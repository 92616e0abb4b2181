"""What runs, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.define import Shown
from penstock_spec.kinds.scheduler.metrics import running

TITLE = "Runs"


def panels(on: Shown) -> Iterator[Panel]:
    """How many, how long, and how they end."""
    yield Panel("How runs end", "By the second.", "ops", (on.rates(running.RUNS, "outcome"),), "areas")
    yield Panel(
        "Classes of failures",
        "Runs by the class of `failures.classes` that matched; `-` is none of them.",
        "ops",
        (on.rates(running.RUNS, "class"),),
    )
    yield Panel(
        "Share of failed runs",
        "Of all runs that ended. Beyond the line half of the work is for nothing.",
        "percentunit",
        (on.asks("PenstockRunsFail", "failed"),),
        steps=on.steps("PenstockRunsFail"),
    )
    yield Panel("Time of a run", "However it ended.", "s", on.quantiles(running.RUN_SECONDS))
    yield Panel(
        "Running beside each other",
        "Jobs that run, of all pods.",
        "short",
        (on.by(running.RUNNING, "instance", "sum"),),
    )
    yield Panel(
        "Missed",
        "Runs of cron jobs that were due while nobody ran them: run later, or left out.",
        "ops",
        (on.rates(running.MISSED, "what"),),
    )
    if on.has("PenstockZombiesCancelled"):
        yield Panel(
            "Zombies",
            "Jobs in a quarter of an hour that were told to stop, as their deadline was long over.",
            "short",
            (on.asks("PenstockZombiesCancelled", "cancelled"),),
            steps=on.steps("PenstockZombiesCancelled"),
        )
        yield Panel(
            "Who saw the zombies",
            "The job's own timer, or the scan beside it.",
            "ops",
            (on.rates(running.ZOMBIES_CANCELLED, "by"),),
        )
        yield Panel(
            "Abandoned jobs",
            "Jobs that ignored that and run on, without a permit.",
            "short",
            (on.asks("PenstockJobsAbandoned", "abandoned"),),
            steps=on.steps("PenstockJobsAbandoned"),
        )
        yield Panel("New abandoned jobs", "By the second.", "ops", (on.rate(running.ABANDONED, "abandoned"),))
