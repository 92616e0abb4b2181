"""Alerts on due jobs and whether pods take them."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, STEPS, Alert, Query, Series, minutes
from penstock_generate.kinds.scheduler.expected_runs import OFTEN, runs_per_second
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.scheduler.metrics import state, taking
from penstock_spec.kinds.scheduler.spec import Scheduler

HALF = 0.5


def of(spec: Scheduler, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    factor = spec.health.overdue_factor
    yield Alert(
        "PenstockJobsOverdue",
        "critical",
        _overdue(ours),
        ">",
        factor,
        2,
        "Jobs are due but do not start.",
        f"The oldest is late by {{value}} times the mean interval; `health.overdue_factor` is {number(factor)}.",
        "percentunit",
    )
    yield Alert(
        "PenstockSchedulerDegraded",
        "warning",
        ours.gauge(state.DEGRADED),
        ">=",
        1,
        minutes(spec.alerts.degraded_for),
        "A scheduler is degraded.",
        f"A pod has reported this for {spec.alerts.degraded_for} (`alerts.degraded_for`); its log says why.",
    )
    expected = runs_per_second(spec)
    if expected != 0:  # it is 0 if no job runs often
        yield Alert(
            "PenstockFewJobsTaken",
            "warning",
            _taken(ours, expected),
            "<",
            HALF,
            QUARTER,
            "Fewer jobs run than expected.",
            f"The share of runs that start is {{value}}, among jobs with an interval of at most {OFTEN // 60} minutes.",
            "percentunit",
        )
    if spec.work.concurrency > 0:
        limit = spec.work.concurrency
        yield Alert(
            "PenstockManyJobsReady",
            "warning",
            ours.gauge(state.READY),
            ">",
            spec.health.ready_factor * limit,
            5,
            "Far more jobs are due than pods can run.",
            f"{{value}} jobs are due; a pod runs {limit} at a time (`work.concurrency`).",
        )
        yield Alert(
            "PenstockPermitsExhausted",
            "warning",
            _held(ours),
            ">=",
            1,
            QUARTER,
            "All pods run as many jobs as they may.",
            f"A share of {{value}} of all permits is held; each pod has {limit} (`work.concurrency`).",
            "percentunit",
        )
        yield _signal(
            ours,
            "PenstockCapacitySkew",
            "capacity_skew",
            "Pods have free permits but take few jobs.",
            "Jobs are due, and a pod could run more than it takes.",
        )
    yield _signal(
        ours,
        "PenstockZeroProgress",
        "zero_progress",
        "Jobs are due, but a pod takes none.",
        "They may belong to another shard, be disabled, or be unknown; see the panel *Passed over*.",
    )


def _signal(ours: Series, name: str, signal: str, summary: str, description: str) -> Alert:
    """An alert on a signal of the watchdog."""
    return Alert(name, "warning", ours.gauge(state.WATCHDOG, signal=signal), ">=", 1, 5, summary, description)


def _overdue(ours: Series) -> Query:
    """How late the oldest job is, in mean intervals; no value if a pod has no jobs."""
    oldest, mean = ours.of(state.OLDEST_OVERDUE_SECONDS), ours.of(state.MEAN_INTERVAL_SECONDS)
    return Query(
        f"max({oldest}) / max({mean} > 0)",
        lambda value: {oldest: f"{number(value * 100)}+0x{STEPS}", mean: f"100+0x{STEPS}"},
        exact=False,
    )


def _taken(ours: Series, expected: float | None) -> Query:
    """The share of expected runs that start; if a function lists the jobs, measured from how many and how often."""
    acquired = ours.of(taking.ACQUIRED)
    took = f"sum({ours.rate(taking.ACQUIRED, QUARTER)})"
    if expected is not None:
        return Query(
            f"{took} / {number(expected)}",
            lambda value: {acquired: f"0+{number(value * expected * 60)}x{STEPS}"},
            QUARTER,
            exact=False,
        )
    waiting, working, mean = (ours.of(one) for one in (state.WAITING, state.WORKING, state.MEAN_INTERVAL_SECONDS))
    return Query(
        f"{took} * (max({mean}) <= {OFTEN}) / ((max({waiting}) + max({working})) > 0)",
        lambda value: {
            acquired: f"0+{number(value * 60)}x{STEPS}",
            waiting: f"90+0x{STEPS}",
            working: f"10+0x{STEPS}",
            mean: f"100+0x{STEPS}",
        },
        QUARTER,
        exact=False,
    )


def _held(ours: Series) -> Query:
    """The share of all permits that is held."""
    free, all_ = ours.of(taking.PERMITS_FREE), ours.of(taking.PERMITS)
    return Query(
        f"1 - sum({free}) / (sum({all_}) > 0)",
        lambda value: {free: f"{number(100 - value * 100)}+0x{STEPS}", all_: f"100+0x{STEPS}"},
        exact=False,
    )
