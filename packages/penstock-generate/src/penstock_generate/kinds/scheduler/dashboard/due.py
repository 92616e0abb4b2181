"""The row on due jobs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries
from penstock_spec.kinds.scheduler.metrics import state, taking

TITLE = "Due jobs"


def panels(query: SchedulerQueries) -> Iterator[Panel]:
    """Due jobs, taken jobs, signals of the watchdog, and permits."""
    yield from _due(query)
    yield from _taken(query)
    yield from _signals(query)
    if query.has("PenstockPermitsExhausted"):
        yield from _permits(query)


def _due(query: SchedulerQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockJobsOverdue",
        "Lateness of the oldest job",
        "How long the oldest due job has waited, in mean intervals. The line is `health.overdue_factor`.",
        "none",
        "late",
    )
    yield Panel(
        "Oldest overdue job and mean interval",
        "The two values behind the lateness. A cron job counts as one minute.",
        "s",
        (
            query.gauge(state.OLDEST_OVERDUE_SECONDS, "oldest"),
            query.gauge(state.MEAN_INTERVAL_SECONDS, "mean interval"),
        ),
    )
    yield Panel(
        "Lateness",
        "From the due time of a job to its start.",
        "s",
        query.quantiles(taking.LATENESS_SECONDS),
    )
    ready = (query.gauge(state.READY, "ready"),)
    if query.has("PenstockManyJobsReady"):
        ready = (query.alert_query("PenstockManyJobsReady", "ready"),)
    yield Panel(
        "Ready",
        "Due jobs that a pod may take. The line is `health.ready_factor` times `work.concurrency`.",
        "short",
        ready,
        steps=query.steps("PenstockManyJobsReady"),
    )
    yield Panel(
        "Jobs in Redis",
        "Jobs in each set: waiting, working, paused.",
        "short",
        (
            query.gauge(state.WAITING, "waiting"),
            query.gauge(state.WORKING, "working"),
            query.gauge(state.PAUSED, "paused"),
        ),
    )
    yield Panel(
        "Registered jobs",
        "Jobs that a pod has registered; the highest number of all pods.",
        "short",
        (query.gauge(state.REGISTERED, "highest"),),
    )

    yield query.alert_panel(
        "PenstockSchedulerDegraded",
        "Degraded pods",
        "1 while a pod reports that it is degraded. It alerts after `alerts.degraded_for`.",
        "short",
        "degraded",
    )


def _taken(query: SchedulerQueries) -> Iterator[Panel]:
    yield Panel("Taken", "Jobs that pods took per second.", "ops", (query.rate(taking.ACQUIRED, "taken"),))
    if query.has("PenstockFewJobsTaken"):
        yield Panel(
            "Share of expected runs",
            "The share of the expected runs, from the intervals of all jobs, that start.",
            "percentunit",
            (query.alert_query("PenstockFewJobsTaken", "taken"),),
            below="orange",
            steps=query.steps("PenstockFewJobsTaken"),
        )
    yield Panel("Passed over", "Due jobs that pods skipped, by reason.", "ops", (query.rates(taking.FILTERED, "why"),))
    yield Panel(
        "Failed starts",
        "Jobs that were taken but failed to start and were handed back.",
        "ops",
        (query.rate(taking.SUBMISSION_FAILURES, "failed"),),
    )
    yield Panel(
        "Duration of a cycle",
        "From the check for due jobs to the last start.",
        "s",
        query.quantiles(taking.CYCLE_SECONDS),
    )


def _signals(query: SchedulerQueries) -> Iterator[Panel]:
    """Signals of the watchdog; each has an alert."""
    titles = {
        "PenstockZeroProgress": ("No progress", "1 while jobs are due but a pod takes none."),
        "PenstockCapacitySkew": ("Capacity skew", "1 while permits are free and jobs are due, but few are taken."),
    }
    for name, (title, description) in titles.items():
        if query.has(name):
            yield query.alert_panel(name, title, description, "short", "signal")


def _permits(query: SchedulerQueries) -> Iterator[Panel]:
    yield query.alert_panel(
        "PenstockPermitsExhausted",
        "Permits held",
        "The share of all permits that is held.",
        "percentunit",
        "held",
    )
    yield Panel(
        "Permits",
        "Permits of all pods, free permits, and the jobs that pods could take in their last cycle.",
        "short",
        (
            query.gauge(taking.PERMITS, "all", "sum"),
            query.gauge(taking.PERMITS_FREE, "free", "sum"),
            query.gauge(taking.CAPACITY_PER_CYCLE, "per cycle", "sum"),
        ),
    )
