"""The row on runs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_spec.kinds.scheduler.metrics import running

TITLE = "Runs"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    yield Panel("Run outcomes", "Per second.", "ops", (query.rates(running.RUNS, "outcome"),), "areas")
    yield Panel(
        "Failures by class",
        "Runs by class in `failures.classes`; `-` is no class.",
        "ops",
        (query.rates(running.RUNS, "class"),),
    )
    yield query.alert_panel(
        "PenstockRunsFail",
        "Share of failed runs",
        "The share of runs that fail. Above the line more than half of the work is wasted.",
        "percentunit",
        "failed",
    )
    if query.has("PenstockJobsGivenUp"):
        yield query.alert_panel(
            "PenstockJobsGivenUp",
            "Jobs given up",
            "Jobs that are paused after `failures.pause_after` failures in a row, until they are resumed.",
            "short",
            "given up",
        )
    yield Panel("Duration of a run", "For all outcomes.", "s", query.quantiles(running.RUN_SECONDS))
    yield Panel(
        "Running jobs",
        "Running jobs by pod.",
        "short",
        (query.by(running.RUNNING, "instance", "sum"),),
    )
    yield Panel(
        "Missed runs",
        "Runs of cron jobs that were missed: run later, or skipped.",
        "ops",
        (query.rates(running.MISSED, "what"),),
    )
    yield Panel(
        "Overlapping runs",
        "Runs that came due while the previous run of their job had not ended, by what `overlap` did with them.",
        "ops",
        (query.rates(running.OVERLAPS, "what"),),
    )
    if query.has("PenstockZombiesCancelled"):
        yield query.alert_panel(
            "PenstockZombiesCancelled",
            "Zombies",
            "Runs that were cancelled long after their deadline, in 15 minutes.",
            "short",
            "cancelled",
        )
        yield Panel(
            "Zombies by detector",
            "The run's own timer, or the scan.",
            "ops",
            (query.rates(running.ZOMBIES_CANCELLED, "by"),),
        )
        yield query.alert_panel(
            "PenstockJobsAbandoned",
            "Abandoned jobs",
            "Runs that ignored their cancellation and continue without a permit.",
            "short",
            "abandoned",
        )
        yield Panel("New abandoned jobs", "Per second.", "ops", (query.rate(running.ABANDONED, "abandoned"),))
