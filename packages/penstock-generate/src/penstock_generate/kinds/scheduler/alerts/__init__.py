"""Alerts of a scheduler, by what they are about. A number that stands in the spec is the spec's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from penstock_generate.alerts.define import NAME, NAMESPACE, Alert, Series
from penstock_generate.kinds.scheduler.alerts import due, handing_back, pods, running, tidying
from penstock_spec.kinds.scheduler.spec import Scheduler

__all__ = ["ASKED", "Alert", "Sources", "alerts"]


@dataclass(frozen=True, slots=True)
class Sources:
    """Whose series are asked for: a scheduler's own, and what kube-state-metrics tells of it."""

    ours: Series
    deployment: Series

    @classmethod
    def of(cls, namespace: str, name: str, *chosen: str) -> Self:
        """By name; `chosen` are variables of a dashboard, which Kubernetes knows nothing of."""
        where = {"namespace": namespace}
        return cls(Series({**where, "scheduler": name}, *chosen), Series({**where, "deployment": name}))


ASKED = Sources.of(NAMESPACE, NAME)
"""Of any scheduler: its labels are blanks."""


def alerts(spec: Scheduler, asked: Sources) -> list[Alert]:
    """All of them: about the spec's numbers, asked of these series."""
    ours = asked.ours
    return [
        *due.of(spec, ours),
        *running.of(spec, ours),
        *handing_back.of(spec, ours),
        *tidying.of(spec, ours),
        *pods.of(spec, ours, asked.deployment),
    ]
