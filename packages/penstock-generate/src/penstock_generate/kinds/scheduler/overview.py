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
    on = Shown(namespace)
    return (Row("Schedulers", (_table(on), *_side_by_side(on))),)


OVERVIEW = Overview("scheduler", process.INFO.name, rows)


class Shown:
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


def _table(on: Shown) -> Panel:
    columns = {
        "Overdue": on.by("max", state.OLDEST_OVERDUE_SECONDS),
        "Ready": on.by("max", state.READY),
        "Waiting": on.by("max", state.WAITING),
        "Running": on.by("sum", running.RUNNING),
        "Runs per second": on.rate(running.RUNS),
        "Failed per second": on.rate(running.RUNS, outcome="failed"),
        "Degraded": on.by("max", state.DEGRADED),
        "Leaders": on.by("sum", cleanup.LEADER),
        "Pods": on.by("count", process.INFO),
        "Dashboard": f"max by (scheduler, dashboard) ({selector(DASHBOARD, {'namespace': on.namespace}, 'scheduler')})",
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


def _side_by_side(on: Shown) -> Iterator[Panel]:
    each = "{{scheduler}}"
    yield Panel(
        "Oldest overdue", "Among the due jobs.", "s", (Target(on.by("max", state.OLDEST_OVERDUE_SECONDS), each),)
    )
    yield Panel("Runs", "Finished runs per second, for all outcomes.", "ops", (Target(on.rate(running.RUNS), each),))
    yield Panel(
        "Breakers",
        "The highest state of each: 2 is open.",
        "short",
        (Target(on.by("max", settling.BREAKER_STATE), each),),
    )
    yield Panel(
        "Redis errors of schedulers", "Failed calls per second.", "ops", (Target(on.rate(process.REDIS_ERRORS), each),)
    )
