"""What the rows of a pipeline's dashboard are made with: series that a viewer can narrow, and the alerts' own queries.

A panel with an alert's line asks for what the alert asks for, within the same minutes, and its line is the number that
the rule has: a picture and a page at night cannot tell different things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from penstock_generate.alerts.define import RATE_INTERVAL, added
from penstock_generate.dashboards.blanks import blank
from penstock_generate.dashboards.panel import Colour, Step, Target
from penstock_generate.kinds.pipeline.alerts import Alert, Sources, alerts
from penstock_generate.promql import name_of
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.metrics import Metric

CHOSEN = ("job", "instance")
"""Variables of the dashboard that narrow what our processes tell."""
COLOURS: Mapping[str, Colour] = {"critical": "red", "warning": "orange", "info": "blue"}
QUANTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides which panels there are. Pipelines of one shape share all but the values in the blanks."""

    alerts: frozenset[str]
    """Those that there are, by name."""
    keeps_nothing: bool
    has_runbooks: bool
    witness: Pipeline = field(compare=False, repr=False)
    """One of them. Its alerts say what is asked; none of its numbers gets into what is shared."""

    @classmethod
    def of(cls, spec: Pipeline, found: list[Alert], *, has_runbooks: bool) -> Self:
        """Of a pipeline with these alerts."""
        names = frozenset(alert.name for alert in found)
        return cls(names, spec.stream.retention.keeps_nothing, has_runbooks, spec)


class Shown:
    """What a row's panels ask for."""

    def __init__(self, shape: Shape) -> None:
        """Of pipelines of one shape."""
        asked = Sources.of(blank("namespace in a query"), blank("name in a query"), *CHOSEN)
        self.ours, self.scaler, self.hpa, self.deployment = asked.ours, asked.scaler, asked.hpa, asked.deployment
        self._alerts = {alert.name: alert for alert in alerts(shape.witness, asked)}

    def has(self, alert: str) -> bool:
        """Whether pipelines of this shape have it."""
        return alert in self._alerts

    def asks(self, alert: str, legend: str) -> Target:
        """What an alert asks."""
        return Target(self._alerts[alert].query.text, legend)

    def steps(self, *names: str) -> tuple[Step, ...]:
        """The thresholds of those alerts that there are."""
        found = (self._alerts[name] for name in names if name in self._alerts)
        return tuple(
            Step(threshold(one.name), "green" if one.operator == "<" else COLOURS[one.severity]) for one in found
        )

    def gauge(self, metric: Metric, legend: str, how: str = "max", **more: str) -> Target:
        """The highest, or the sum, of what processes tell."""
        return Target(self.ours.gauge(metric, how, **more).text, legend)

    def by(self, metric: Metric, label: str, how: str = "max") -> Target:
        """The same, label by label."""
        return Target(f"{how} by ({label}) ({self.ours.of(metric)})", f"{{{{{label}}}}}")

    def sum(self, legend: str, *metrics: Metric) -> Target:
        """Several gauges that are measured in one place, together."""
        return Target(added(map(self.ours.gauge, metrics)).text, legend)

    def rate(self, metric: Metric | str, legend: str, **more: str) -> Target:
        """How fast a counter grows, over all processes."""
        return Target(f"sum({self.ours.rate(metric, 0, **more)})", legend)

    def rates(self, metric: Metric | str, label: str) -> Target:
        """The same, label by label."""
        return Target(f"sum by ({label}) ({self.ours.rate(metric, 0)})", f"{{{{{label}}}}}")

    def quantiles(self, metric: Metric) -> tuple[Target, ...]:
        """How long half of them, almost all and all but a few took."""
        buckets = f"sum by (le) ({self.ours.rate(f'{name_of(metric)}_bucket', 0)})"
        return tuple(Target(f"histogram_quantile({one}, {buckets})", f"p{one * 100:.0f}") for one in QUANTILES)

    def of_process(self, metric: str, *, per_second: bool) -> str:
        """What Python tells of its process; it knows no pipeline, and so is asked for by where ours is told."""
        place = f'{{namespace="{blank("namespace in a query")}",job=~"$job",instance=~"$instance"}}'
        told = f"rate({metric}{place}[{RATE_INTERVAL}])" if per_second else f"{metric}{place}"
        return f"{told} and on (job, instance) {self.ours.of('penstock_info', role='worker')}"


def threshold(alert: str) -> str:
    """A blank for an alert's number."""
    return blank(f"threshold of {alert}")


def values(spec: Pipeline, namespace: str, found: list[Alert]) -> dict[str, Any]:
    """What goes into the blanks that stand for numbers."""
    return {f"threshold of {alert.name}": _number(alert.threshold) for alert in found} | {
        "backlog limit": spec.stream.backlog.limit,
        "memory": spec.resources.memory.amount,
        "timeout": _number(spec.work.timeout.seconds),
        "drain time": _number(spec.shutdown.grace.seconds - spec.shutdown.margin.seconds),
        "backlog per replica": spec.scaling.backlog_per_replica,
        "namespace": namespace,
    }


def _number(value: float) -> float:
    """300 rather than 300.0."""
    return int(value) if value == int(value) else value
