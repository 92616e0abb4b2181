"""What is due, and how it is taken."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.scheduler.dashboard.define import Shown
from penstock_spec.kinds.scheduler.metrics import state, taking

TITLE = "Due and taken"


def panels(on: Shown) -> Iterator[Panel]:
    """What is due, how it is taken, and whether there is room."""
    yield from _due(on)
    yield from _taken(on)
    yield from _signals(on)
    if on.has("PenstockPermitsExhausted"):
        yield from _permits(on)


def _due(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Lateness of the oldest",
        "How long the oldest due job has waited, in mean intervals. The line is `health.overdue_factor`.",
        "none",
        (on.asks("PenstockJobsOverdue", "late"),),
        steps=on.steps("PenstockJobsOverdue"),
    )
    yield Panel(
        "Oldest overdue and mean interval",
        "The two of which that is made. A cron job counts as one minute.",
        "s",
        (on.gauge(state.OLDEST_OVERDUE_SECONDS, "oldest"), on.gauge(state.MEAN_INTERVAL_SECONDS, "mean interval")),
    )
    yield Panel(
        "Lateness",
        "From when a job was due until it was started.",
        "s",
        on.quantiles(taking.LATENESS_SECONDS),
    )
    ready = (on.gauge(state.READY, "ready"),)
    if on.has("PenstockManyJobsReady"):
        ready = (on.asks("PenstockManyJobsReady", "ready"),)
    yield Panel(
        "Ready",
        "Due jobs that a pod may take. The line is `health.ready_factor` times what it can run.",
        "short",
        ready,
        steps=on.steps("PenstockManyJobsReady"),
    )
    yield Panel(
        "Jobs in Redis",
        "Members of the sets: waiting, working, paused.",
        "short",
        (on.gauge(state.WAITING, "waiting"), on.gauge(state.WORKING, "working"), on.gauge(state.PAUSED, "paused")),
    )
    yield Panel(
        "Registered",
        "Jobs that a pod has registered as its own.",
        "short",
        (on.gauge(state.REGISTERED, "most of a pod"),),
    )

    yield Panel(
        "Pods that call themselves degraded",
        "1 while one of them does; at the line for `alerts.degraded_for` somebody is told.",
        "short",
        (on.asks("PenstockSchedulerDegraded", "degraded"),),
        steps=on.steps("PenstockSchedulerDegraded"),
    )


def _taken(on: Shown) -> Iterator[Panel]:
    yield Panel("Taken", "Jobs that pods took, by the second.", "ops", (on.rate(taking.ACQUIRED, "taken"),))
    if on.has("PenstockFewJobsTaken"):
        yield Panel(
            "Taken of what is expected",
            "The share of the runs that the intervals of all jobs come to.",
            "percentunit",
            (on.asks("PenstockFewJobsTaken", "taken"),),
            below="orange",
            steps=on.steps("PenstockFewJobsTaken"),
        )
    yield Panel("Passed over", "Due jobs that pods did not take, by why.", "ops", (on.rates(taking.FILTERED, "why"),))
    yield Panel(
        "Starts that failed",
        "Jobs that were taken, could not be started, and went back.",
        "ops",
        (on.rate(taking.SUBMISSION_FAILURES, "failed"),),
    )
    yield Panel(
        "Time of a cycle",
        "From looking for what is due to the last start.",
        "s",
        on.quantiles(taking.CYCLE_SECONDS),
    )


def _signals(on: Shown) -> Iterator[Panel]:
    """What the watchdog sees; each has its alert."""
    told = {
        "PenstockZeroProgress": ("No progress", "1 while jobs are due and a pod takes none."),
        "PenstockCapacitySkew": ("Capacity skew", "1 while permits are free, jobs are due, and few are taken."),
        "PenstockPermitLeakSuspect": ("Permit leak", "1 while few permits are free though little runs."),
    }
    for name, (title, description) in told.items():
        if on.has(name):
            yield Panel(title, description, "short", (on.asks(name, "shows"),), steps=on.steps(name))


def _permits(on: Shown) -> Iterator[Panel]:
    yield Panel(
        "Permits held",
        "The share of all permits that something holds.",
        "percentunit",
        (on.asks("PenstockPermitsExhausted", "held"),),
        steps=on.steps("PenstockPermitsExhausted"),
    )
    yield Panel(
        "Permits",
        "What all pods together may run at a time, what of it is free, and what they could take in their last cycle.",
        "short",
        (
            on.gauge(taking.PERMITS, "all", "sum"),
            on.gauge(taking.PERMITS_FREE, "free", "sum"),
            on.gauge(taking.CAPACITY_PER_CYCLE, "a cycle", "sum"),
        ),
    )
