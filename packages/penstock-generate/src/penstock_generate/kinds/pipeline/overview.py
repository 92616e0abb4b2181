"""Rows of an environment's overview: its pipelines, and the services that they share."""

from __future__ import annotations

from collections.abc import Iterator

from penstock_generate.alerts.define import RATE_INTERVAL, OtherNamespaceSeries, Series
from penstock_generate.dashboards.panel import Column, Panel, Row, Step, Target, Unit
from penstock_generate.kinds import Overview
from penstock_generate.pods.rules import DASHBOARD
from penstock_generate.rendering.promql import quoted, selector
from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, process, stream, working
from penstock_spec.metrics import Metric

HPA = "kube_horizontalpodautoscaler_status_current_replicas"


def rows(namespace: str) -> tuple[Row, ...]:
    """The rows for a namespace."""
    query = PipelineOverviewQueries(namespace)
    return (
        Row("Pipelines", (_table(query),)),
        Row("Comparison", tuple(_side_by_side(query))),
        Row("Shared services", tuple(_shared(query))),
    )


OVERVIEW = Overview("pipeline", process.INFO.name, rows)


class PipelineOverviewQueries:
    """Queries over the selected pipelines."""

    def __init__(self, namespace: str) -> None:
        """In this namespace."""
        self.ours = Series({"namespace": namespace}, "pipeline", "job", "instance")
        self.keda = OtherNamespaceSeries({"namespace": namespace})
        self.namespace = namespace

    def by(self, how: str, *metrics: Metric) -> str:
        """The sum of gauges, by pipeline."""
        return " + ".join(f"{how} by (pipeline) ({self.ours.of(metric)})" for metric in metrics)

    def rate(self, metric: Metric, label: str = "pipeline") -> str:
        """The rate of a counter by label."""
        return f"sum by ({label}) ({self.ours.rate(metric, 0)})"

    def pods(self) -> str:
        """Pods by pipeline, from the name of its HPA; only selected pipelines."""
        scalers = selector(HPA, {"namespace": self.namespace})
        named = f"label_replace({scalers}, {quoted('pipeline')}, {quoted('$1')}, "
        mine = f"{named}{quoted('horizontalpodautoscaler')}, {quoted('keda-hpa-(.+)')})"
        return f"max by (pipeline) ({mine}) and on (pipeline) {self.by('group', process.INFO)}"


def _table(query: PipelineOverviewQueries) -> Panel:
    dashboards = selector(DASHBOARD, {"namespace": query.namespace}, "pipeline")
    columns = {
        "Work": query.by("max", stream.NEW, stream.READY, stream.SUSPECT),
        "Oldest": query.by("max", stream.OLDEST_SECONDS),
        "Running": query.by("sum", working.RUNNING),
        "Parked": query.by("max", stream.PARKED),
        "Dead letters": query.by("max", stream.DEAD_LETTERS),
        "Dead per second": query.rate(working.DEAD),
        "Done per second": query.rate(working.DONE),
        "Pods": query.pods(),
        "Dashboard": f"max by (pipeline, dashboard) ({dashboards})",
    }
    units: dict[str, Unit] = {"Oldest": "s", "Dead per second": "mps", "Done per second": "mps"}
    return Panel(
        "Pipelines",
        "The current state of each pipeline, with a link to its dashboard. Work: messages that could be worked on now.",
        "short",
        tuple(Target(query, name) for name, query in columns.items()),
        "table",
        by="pipeline",
        columns=(
            Column("pipeline", (("links", [{"title": "Open dashboard", "url": "/d/${__data.fields.dashboard}"}]),)),
            Column("dashboard", (("custom.hidden", True),)),  # hidden, not removed: the links need it
            *(Column(name, (("unit", unit),)) for name, unit in units.items()),
        ),
        hidden=("Value #I",),
    )


def _side_by_side(query: PipelineOverviewQueries) -> Iterator[Panel]:
    each = "{{pipeline}}"
    yield Panel(
        "Waiting work",
        "Messages that could be worked on now, by pipeline.",
        "short",
        (Target(query.by("max", stream.NEW, stream.READY, stream.SUSPECT), each),),
    )
    yield Panel(
        "Age of the oldest message",
        "Among the messages that could be worked on now.",
        "s",
        (Target(query.by("max", stream.OLDEST_SECONDS), each),),
    )
    yield Panel("Throughput", "Finished messages per second.", "mps", (Target(query.rate(working.DONE), each),))
    yield Panel("Retries", "Failed attempts that will be retried.", "mps", (Target(query.rate(working.RETRIED), each),))
    yield Panel("Dead letters", "New dead letters per second.", "mps", (Target(query.rate(working.DEAD), each),))
    yield Panel("Pods", "Current pods of each HPA.", "short", (Target(query.pods(), each),))


def _shared(query: PipelineOverviewQueries) -> Iterator[Panel]:
    yield Panel(
        "Janitor",
        "Janitors that are leader, by pipeline; each should have one.",
        "short",
        (Target(query.by("sum", janitor.JANITOR_LEADER), "{{pipeline}}"),),
        below="red",
        steps=(Step(1, "green"),),
    )
    yield Panel(
        "Failed tasks",
        "Failed tasks of the janitor per second.",
        "ops",
        (Target(query.rate(janitor.JANITOR_ERRORS, "task"), "{{task}}"),),
    )
    yield Panel(
        "Groups recreated",
        "A consumer group was missing: somebody destroys it, or Redis loses its data.",
        "ops",
        (Target(query.rate(maintenance.GROUP_RECREATED), "{{pipeline}}"),),
    )
    yield Panel(
        "Redis errors",
        "Failed calls per second, by kind.",
        "ops",
        (Target(query.rate(process.REDIS_ERRORS, "kind"), "{{kind}}"),),
    )
    yield Panel(
        "Redis connections",
        "Open connections of all processes.",
        "short",
        (Target(f"sum({query.ours.of(process.REDIS_CONNECTIONS)})", "open"),),
    )
    errors = query.keda.each("keda_scaler_detail_errors_total", f"rate({{}}[{RATE_INTERVAL}])")
    yield Panel(
        "Failed polls of KEDA",
        "Polls that fail to read a trigger, by ScaledObject.",
        "ops",
        (Target(f"sum by (scaledObject) ({errors})", "{{scaledObject}}"),),
    )
    late = query.keda.each("keda_internal_scale_loop_latency_seconds", type="scaledobject")
    yield Panel(
        "KEDA's delay",
        "How late KEDA polls a ScaledObject: KEDA lacks CPU, or Redis answers slowly.",
        "s",
        (Target(f"max by (resource) ({late})", "{{resource}}"),),
    )
