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
    def of(cls, spec: Scheduler, found: list[Alert], *, has_runbooks: bool) -> Self:
        """The variant of a scheduler with these alerts."""
        asked = alerts(spec, SchedulerSources.of("", ""))
        return cls(frozenset(one.name for one in found), frozenset(one.query.text for one in asked), has_runbooks, spec)


class SchedulerQueries(PanelQueries):
    """The queries of the rows."""

    def __init__(self, variant: SchedulerVariant) -> None:
        """For the schedulers of one variant."""
        asked = SchedulerSources.of(NAMESPACE, NAME, *CHOSEN)
        self.deployment = asked.deployment
        self.info = asked.ours.of(process.INFO)
        super().__init__(asked.ours, alerts(variant.example, asked), self.info)


def values(spec: Scheduler, found: list[Alert]) -> dict[str, Any]:
    """The values of placeholders for numbers."""
    return thresholds(found) | {"memory": spec.resources.memory.amount}
