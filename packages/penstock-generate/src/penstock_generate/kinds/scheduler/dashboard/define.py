"""What the rows of a scheduler's dashboard are made with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from penstock_generate.alerts.define import NAME, NAMESPACE
from penstock_generate.dashboards.asking import CHOSEN, Asking, thresholds
from penstock_generate.kinds.scheduler.alerts import Alert, Sources, alerts
from penstock_spec.kinds.scheduler.metrics import process
from penstock_spec.kinds.scheduler.spec import Scheduler


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides which panels there are. Schedulers of one shape share all but the values in the blanks."""

    alerts: frozenset[str]
    """Those that there are, by name."""
    queries: frozenset[str]
    """What they ask, where a number of the spec stands in it."""
    has_runbooks: bool
    witness: Scheduler = field(compare=False, repr=False)
    """One of them. Its alerts say what is asked; no threshold of it gets into what is shared."""

    @classmethod
    def of(cls, spec: Scheduler, found: list[Alert], *, has_runbooks: bool) -> Self:
        """Of a scheduler with these alerts."""
        asked = alerts(spec, Sources.of("", ""))
        return cls(frozenset(one.name for one in found), frozenset(one.query.text for one in asked), has_runbooks, spec)


class Shown(Asking):
    """What a row's panels ask for."""

    def __init__(self, shape: Shape) -> None:
        """Of schedulers of one shape."""
        asked = Sources.of(NAMESPACE, NAME, *CHOSEN)
        self.deployment = asked.deployment
        self.info = asked.ours.of(process.INFO)
        super().__init__(asked.ours, alerts(shape.witness, asked), self.info)


def values(spec: Scheduler, found: list[Alert]) -> dict[str, Any]:
    """What goes into the blanks that stand for numbers."""
    return thresholds(found) | {"memory": spec.resources.memory.amount}
