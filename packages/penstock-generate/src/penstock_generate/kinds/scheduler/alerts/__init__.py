"""Alerts of a scheduler by topic. Thresholds come from the spec where it has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from penstock_generate.alerts.define import NAME, NAMESPACE, Alert, Series
from penstock_generate.kinds.scheduler.alerts import due, maintenance, pods, runs, settling
from penstock_spec.kinds.scheduler.spec import Scheduler

__all__ = ["ANY_SCHEDULER", "Alert", "SchedulerSources", "alerts"]


@dataclass(frozen=True, slots=True)
class SchedulerSources:
    """The series of a scheduler, and those of kube-state-metrics about it."""

    ours: Series
    deployment: Series

    @classmethod
    def of(cls, namespace: str, name: str, *chosen: str) -> Self:
        """By name; `chosen` are variables of a dashboard, which only the scheduler's own series have."""
        where = {"namespace": namespace}
        return cls(Series({**where, "scheduler": name}, *chosen), Series({**where, "deployment": name}))


ANY_SCHEDULER = SchedulerSources.of(NAMESPACE, NAME)
"""The series of any scheduler: its labels are placeholders."""


def alerts(spec: Scheduler, series: SchedulerSources) -> list[Alert]:
    """All alerts of a spec, over these series."""
    ours = series.ours
    return [
        *due.of(spec, ours),
        *runs.of(spec, ours),
        *settling.of(spec, ours),
        *maintenance.of(spec, ours),
        *pods.of(spec, ours, series.deployment),
    ]
