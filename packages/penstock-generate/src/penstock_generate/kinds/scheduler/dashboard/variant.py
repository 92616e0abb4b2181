"""Variants of a scheduler's dashboard, and the queries of its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from penstock_generate.alerts.define import NAME, NAMESPACE
from penstock_generate.dashboards.panel_queries import CHOSEN, PanelQueries, thresholds
from penstock_generate.kinds.scheduler.alerts import Alert, SchedulerSources, alerts
from penstock_spec.kinds.scheduler.metrics import process
from penstock_spec.kinds.scheduler.spec import Scheduler


@dataclass(frozen=True, slots=True)
class SchedulerVariant:
    """The facts that decide which panels there are. Schedulers of one variant differ only in their placeholders."""

    alerts: frozenset[str]
    """The names of their alerts."""
    queries: frozenset[str]
    """The queries of their alerts, which may contain numbers of the spec."""
    has_runbooks: bool
    example: Scheduler = field(compare=False, repr=False)
    """One of these schedulers. Its alerts give the queries; none of its thresholds gets into the shared text."""

    @classmethod
    def of(cls, spec: Scheduler, its_alerts: list[Alert], *, has_runbooks: bool) -> Self:
        """The variant of a scheduler with these alerts."""
        unnamed = alerts(spec, SchedulerSources.of("", ""))
        names, queries = (frozenset(one.name for one in its_alerts), frozenset(one.query.text for one in unnamed))
        return cls(names, queries, has_runbooks, spec)


class SchedulerQueries(PanelQueries):
    """The queries of the rows."""

    def __init__(self, variant: SchedulerVariant) -> None:
        """For the schedulers of one variant."""
        series = SchedulerSources.of(NAMESPACE, NAME, *CHOSEN)
        self.deployment = series.deployment
        self.info = series.ours.of(process.INFO)
        super().__init__(series.ours, alerts(variant.example, series), self.info)


def values(spec: Scheduler, its_alerts: list[Alert]) -> dict[str, Any]:
    """The values of placeholders for numbers."""
    return thresholds(its_alerts) | {"memory": spec.resources.memory.amount}
