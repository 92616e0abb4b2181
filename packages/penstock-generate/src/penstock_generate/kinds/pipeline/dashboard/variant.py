"""Variants of a pipeline's dashboard, and the queries of its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from penstock_generate.alerts.define import NAME, NAMESPACE
from penstock_generate.dashboards.panel_queries import CHOSEN, PanelQueries, number, thresholds
from penstock_generate.kinds.pipeline.alerts import Alert, PipelineSources, alerts
from penstock_spec.kinds.pipeline.metrics import process
from penstock_spec.kinds.pipeline.spec import Pipeline


@dataclass(frozen=True, slots=True)
class PipelineVariant:
    """The facts that decide which panels there are. Pipelines of one variant differ only in their placeholders."""

    alerts: frozenset[tuple[str, str]]
    """The names and queries of their alerts: the minutes in a query may depend on the spec."""
    keeps_nothing: bool
    has_runbooks: bool
    example: Pipeline = field(compare=False, repr=False)
    """One of these pipelines. Its alerts give the queries; none of its numbers gets into the shared text."""

    @classmethod
    def of(cls, spec: Pipeline, its_alerts: list[Alert], *, has_runbooks: bool) -> Self:
        """The variant of a pipeline with these alerts."""
        queries = frozenset((alert.name, alert.query.text) for alert in its_alerts)
        return cls(queries, spec.stream.retention.keeps_nothing, has_runbooks, spec)


class PipelineQueries(PanelQueries):
    """The queries of the rows."""

    def __init__(self, variant: PipelineVariant) -> None:
        """For the pipelines of one variant."""
        series = PipelineSources.of(NAMESPACE, NAME, *CHOSEN)
        self.scaler, self.hpa, self.deployment = series.scaler, series.hpa, series.deployment
        super().__init__(series.ours, alerts(variant.example, series), series.ours.of(process.INFO, role="worker"))


def values(spec: Pipeline, its_alerts: list[Alert]) -> dict[str, Any]:
    """The values of placeholders for numbers."""
    return thresholds(its_alerts) | {
        "backlog limit": spec.stream.backlog.limit,
        "memory": spec.resources.memory.amount,
        "timeout": number(spec.work.timeout.seconds),
        "drain time": number(spec.shutdown.grace.seconds - spec.shutdown.margin.seconds),
        "backlog per replica": spec.scaling.backlog_per_replica,
    }
