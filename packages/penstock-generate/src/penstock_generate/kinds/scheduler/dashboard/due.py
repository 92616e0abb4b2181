"""The row on due jobs."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.variant import Shown
from penstock_spec.kinds.scheduler.metrics import state, taking

TITLE = "Due jobs"


def panels(on: Shown) -> Iterator[Panel]:
    """Due jobs, taken jobs, signals of the watchdog, and permits."""
    yield from _due(on)
    yield from _taken(on)
    yield from _signals(on)
    if on.has("PenstockPermitsExhausted"):
        yield from _permits(on)


def _due(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Lateness of the oldest job",
        "How long the oldest due job has waited, in mean intervals. The line is `health.overdue_factor`.",
        "none",
        (on.asks("PenstockJobsOverdue", "late"),),
        steps=on.steps("PenstockJobsOverdue"),
    )
    yield Panel(
        "Oldest overdue job and mean interval",
        "The two values behind the lateness. A cron job counts as one minute.",
        "s",
        (on.gauge(state.OLDEST_OVERDUE_SECONDS, "oldest"), on.gauge(state.MEAN_INTERVAL_SECONDS, "mean interval")),
    )
    yield Panel(
        "Lateness",
        "From the due time of a job to its start.",
        "s",
        on.quantiles(taking.LATENESS_SECONDS),
    )
    ready = (on.gauge(state.READY, "ready"),)
    if on.has("PenstockManyJobsReady"):
        ready = (on.asks("PenstockManyJobsReady", "ready"),)
    yield Panel(
        "Ready",
        "Due jobs that a pod may take. The line is `health.ready_factor` times `work.concurrency`.",
        "short",
        ready,
        steps=on.steps("PenstockManyJobsReady"),
    )
    yield Panel(
        "Jobs in Redis",
        "Jobs in each set: waiting, working, paused.",
        "short",
        (on.gauge(state.WAITING, "waiting"), on.gauge(state.WORKING, "working"), on.gauge(state.PAUSED, "paused")),
    )
    yield Panel(
        "Registered jobs",
        "Jobs that a pod has registered; the highest number of all pods.",
        "short",
        (on.gauge(state.REGISTERED, "highest"),),
    )

    yield Panel(
        "Degraded pods",
        "1 while a pod reports that it is degraded. It alerts after `alerts.degraded_for`.",
        "short",
        (on.asks("PenstockSchedulerDegraded", "degraded"),),
        steps=on.steps("PenstockSchedulerDegraded"),
    )


def _taken(on: Shown) -> Iterator[Panel]:
    yield Panel("Taken", "Jobs that pods took per second.", "ops", (on.rate(taking.ACQUIRED, "taken"),))
    if on.has("PenstockFewJobsTaken"):
        yield Panel(
            "Share of expected runs",
            "The share of the expected runs, from the intervals of all jobs, that start.",
            "percentunit",
            (on.asks("PenstockFewJobsTaken", "taken"),),
            below="orange",
            steps=on.steps("PenstockFewJobsTaken"),
        )
    yield Panel("Passed over", "Due jobs that pods skipped, by reason.", "ops", (on.rates(taking.FILTERED, "why"),))
    yield Panel(
        "Failed starts",
        "Jobs that were taken but failed to start and were handed back.",
        "ops",
        (on.rate(taking.SUBMISSION_FAILURES, "failed"),),
    )
    yield Panel(
        "Duration of a cycle",
        "From the check for due jobs to the last start.",
        "s",
        on.quantiles(taking.CYCLE_SECONDS),
    )


def _signals(on: Shown) -> Iterator[Panel]:
    """Signals of the watchdog; each has an alert."""
    told = {
        "PenstockZeroProgress": ("No progress", "1 while jobs are due but a pod takes none."),
        "PenstockCapacitySkew": ("Capacity skew", "1 while permits are free and jobs are due, but few are taken."),
        "PenstockPermitLeakSuspect": ("Permit leak", "1 while few permits are free although few jobs run."),
    }
    for name, (title, description) in told.items():
        if on.has(name):
            yield Panel(title, description, "short", (on.asks(name, "signal"),), steps=on.steps(name))


def _permits(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Permits held",
        "The share of all permits that is held.",
        "percentunit",
        (on.asks("PenstockPermitsExhausted", "held"),),
        steps=on.steps("PenstockPermitsExhausted"),
    )
    yield Panel(
        "Permits",
        "Permits of all pods, free permits, and the jobs that pods could take in their last cycle.",
        "short",
        (
            on.gauge(taking.PERMITS, "all", "sum"),
            on.gauge(taking.PERMITS_FREE, "free", "sum"),
            on.gauge(taking.CAPACITY_PER_CYCLE, "per cycle", "sum"),
        ),
    )
