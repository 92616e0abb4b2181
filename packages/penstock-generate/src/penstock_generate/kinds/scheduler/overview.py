"""Rows of an environment's overview: its schedulers."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import Series
from penstock_generate.dashboards.panel import Column, Panel, Row, Target, Unit
from penstock_generate.kinds import Overview
from penstock_generate.pods.rules import DASHBOARD
from penstock_generate.rendering.promql import selector
from penstock_spec.kinds.scheduler.metrics import cleanup, process, running, settling, state
from penstock_spec.metrics import Metric


def rows(namespace: str) -> tuple[Row, ...]:
    """The rows for a namespace."""
    query = SchedulerOverviewQueries(namespace)
    return (Row("Schedulers", (_table(query), *_side_by_side(query))),)


OVERVIEW = Overview("scheduler", process.INFO.name, rows)


class SchedulerOverviewQueries:
    """Queries over the selected schedulers."""

    def __init__(self, namespace: str) -> None:
        """In this namespace."""
        self.ours = Series({"namespace": namespace}, "scheduler", "job", "instance")
        self.namespace = namespace

    def by(self, how: str, metric: Metric) -> str:
        """A gauge by scheduler."""
        return f"{how} by (scheduler) ({self.ours.of(metric)})"

    def rate(self, metric: Metric, **more: str) -> str:
        """The rate of a counter by scheduler."""
        return f"sum by (scheduler) ({self.ours.rate(metric, 0, **more)})"


def _table(query: SchedulerOverviewQueries) -> Panel:
    dashboards = selector(DASHBOARD, {"namespace": query.namespace}, "scheduler")
    columns = {
        "Overdue": query.by("max", state.OLDEST_OVERDUE_SECONDS),
        "Ready": query.by("max", state.READY),
        "Waiting": query.by("max", state.WAITING),
        "Running": query.by("sum", running.RUNNING),
        "Runs per second": query.rate(running.RUNS),
        "Failed per second": query.rate(running.RUNS, outcome="failed"),
        "Degraded": query.by("max", state.DEGRADED),
        "Leaders": query.by("sum", cleanup.LEADER),
        "Pods": query.by("count", process.INFO),
        "Dashboard": f"max by (scheduler, dashboard) ({dashboards})",
    }
    units: dict[str, Unit] = {"Overdue": "s", "Runs per second": "ops", "Failed per second": "ops"}
    return Panel(
        "Schedulers",
        "The current state of each scheduler, with a link to its dashboard. Ready: due jobs.",
        "short",
        tuple(Target(query, name) for name, query in columns.items()),
        "table",
        by="scheduler",
        columns=(
            Column("scheduler", (("links", [{"title": "Open dashboard", "url": "/d/${__data.fields.dashboard}"}]),)),
            Column("dashboard", (("custom.hidden", True),)),  # hidden, not removed: the links need it
            *(Column(name, (("unit", unit),)) for name, unit in units.items()),
        ),
        hidden=("Value #J",),
    )


def _side_by_side(query: SchedulerOverviewQueries) -> Iterator[Panel]:
    each = "{{scheduler}}"
    yield Panel(
        "Oldest overdue", "Among the due jobs.", "s", (Target(query.by("max", state.OLDEST_OVERDUE_SECONDS), each),)
    )
    yield Panel("Runs", "Finished runs per second, for all outcomes.", "ops", (Target(query.rate(running.RUNS), each),))
    yield Panel(
        "Breakers",
        "The highest state of each: 2 is open.",
        "short",
        (Target(query.by("max", settling.BREAKER_STATE), each),),
    )
    yield Panel(
        "Redis errors of schedulers",
        "Failed calls per second.",
        "ops",
        (Target(query.rate(process.REDIS_ERRORS), each),),
    )
