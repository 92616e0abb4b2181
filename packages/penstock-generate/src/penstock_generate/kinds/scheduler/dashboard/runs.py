"""The row on runs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.variant import Shown
from penstock_spec.kinds.scheduler.metrics import running

TITLE = "Runs"


def panels(on: Shown) -> Iterator[Panel]:
    yield Panel("Run outcomes", "Per second.", "ops", (on.rates(running.RUNS, "outcome"),), "areas")
    yield Panel(
        "Failures by class",
        "Runs by class in `failures.classes`; `-` is no class.",
        "ops",
        (on.rates(running.RUNS, "class"),),
    )
    yield Panel(
        "Share of failed runs",
        "The share of runs that fail. Above the line more than half of the work is wasted.",
        "percentunit",
        (on.asks("PenstockRunsFail", "failed"),),
        steps=on.steps("PenstockRunsFail"),
    )
    yield Panel("Duration of a run", "For all outcomes.", "s", on.quantiles(running.RUN_SECONDS))
    yield Panel(
        "Running jobs",
        "Running jobs by pod.",
        "short",
        (on.by(running.RUNNING, "instance", "sum"),),
    )
    yield Panel(
        "Missed runs",
        "Runs of cron jobs that were missed: run later, or skipped.",
        "ops",
        (on.rates(running.MISSED, "what"),),
    )
    if on.has("PenstockZombiesCancelled"):
        yield Panel(
            "Zombies",
            "Runs that were cancelled long after their deadline, in 15 minutes.",
            "short",
            (on.asks("PenstockZombiesCancelled", "cancelled"),),
            steps=on.steps("PenstockZombiesCancelled"),
        )
        yield Panel(
            "Zombies by detector",
            "The run's own timer, or the scan.",
            "ops",
            (on.rates(running.ZOMBIES_CANCELLED, "by"),),
        )
        yield Panel(
            "Abandoned jobs",
            "Runs that ignored their cancellation and continue without a permit.",
            "short",
            (on.asks("PenstockJobsAbandoned", "abandoned"),),
            steps=on.steps("PenstockJobsAbandoned"),
        )
        yield Panel("New abandoned jobs", "Per second.", "ops", (on.rate(running.ABANDONED, "abandoned"),))
