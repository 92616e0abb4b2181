"""Alerts on runs and their ends."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import QUARTER, STEPS, Alert, Query, Series
from penstock_generate.rendering.promql import number
from penstock_spec.kinds.scheduler.metrics import running, state
from penstock_spec.kinds.scheduler.spec import Scheduler

HALF = 0.5


def of(spec: Scheduler, ours: Series) -> Iterator[Alert]:
    """The alerts of a spec."""
    zombies = spec.cleanup.zombies
    yield Alert(
        "PenstockRunsFail",
        "warning",
        _failed(ours),
        ">",
        HALF,
        QUARTER,
        "More than half of the runs fail.",
        "The share of runs that failed is {value}.",
        "percentunit",
    )
    limit = spec.failures.pause_after
    if limit is not None:
        yield Alert(
            "PenstockJobsGivenUp",
            "warning",
            ours.gauge(state.GIVEN_UP),
            ">",
            0,
            1,
            "Jobs are paused because they failed too often.",
            f"{{value}} failed {limit} times in a row (`failures.pause_after`), and do not run until they are resumed.",
        )
    if zombies.enabled:
        yield Alert(
            "PenstockZombiesCancelled",
            "warning",
            ours.increase(running.ZOMBIES_CANCELLED, QUARTER),
            ">=",
            3,
            0,
            "Jobs overrun their deadlines.",
            f"Runs cancelled {zombies.threshold} (`cleanup.zombies.threshold`) after their deadline: {{value}}.",
        )
        yield Alert(
            "PenstockJobsAbandoned",
            "warning",
            ours.gauge(running.ABANDONED_RUNNING, "sum"),
            ">",
            0,
            5,
            "Handlers ignore their cancellation.",
            f"{{value}} still run {zombies.abandon_after} (`cleanup.zombies.abandon_after`) after their cancellation.",
        )


def _failed(ours: Series) -> Query:
    """The share of runs that ended with an error."""
    failed, succeeded = (ours.of(running.RUNS, outcome=outcome) for outcome in ("failed", "ok"))
    window = ours.rate(running.RUNS, QUARTER)
    return Query(
        f"sum({ours.rate(running.RUNS, QUARTER, outcome='failed')}) / sum({window})",
        lambda value: {
            failed: f"0+{number(value * 60)}x{STEPS}",
            succeeded: f"0+{number((1 - value) * 60)}x{STEPS}",
        },
        QUARTER,
        exact=False,
    )
