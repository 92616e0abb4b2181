"""Queries of panels: series that a viewer can filter, and the queries of alerts.

A panel with an alert's line has the alert's query, over the same minutes, and its line is the rule's threshold. So the
dashboard and the alert always agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from penstock_generate.alerts.define import NAME, NAMESPACE, RATE_INTERVAL, Alert, Series, added
from penstock_generate.dashboards.panel import Colour, Panel, Step, Target, Unit
from penstock_generate.rendering.placeholders import placeholder
from penstock_generate.rendering.promql import name_of
from penstock_spec.metrics import Metric

CHOSEN = ("job", "instance")
"""Variables of the dashboard, which filter the series of Penstock's processes."""
COLOURS: Mapping[str, Colour] = {"critical": "red", "warning": "orange", "info": "blue"}
QUANTILES = (0.5, 0.95, 0.99)


class PanelQueries:
    """Queries over the specs of one kind that share a dashboard."""

    def __init__(self, ours: Series, alerts: Iterable[Alert], info: str) -> None:
        """`info` selects the info metric of their processes."""
        self.ours = ours
        self._alerts = {alert.name: alert for alert in alerts}
        self._info = info

    def has(self, alert: str) -> bool:
        """Whether these specs have an alert."""
        return alert in self._alerts

    def alert_query(self, alert: str, legend: str) -> Target:
        """The query of an alert."""
        return Target(self._alerts[alert].query.text, legend)

    def alert_panel(self, alert: str, title: str, description: str, unit: Unit, legend: str) -> Panel:
        """The query of an alert, with its threshold as a line."""
        return Panel(title, description, unit, (self.alert_query(alert, legend),), steps=self.steps(alert))

    def steps(self, *names: str) -> tuple[Step, ...]:
        """The thresholds of those alerts that these specs have."""
        alerts = (self._alerts[name] for name in names if name in self._alerts)
        return tuple(
            Step(threshold(one.name), "green" if one.operator == "<" else COLOURS[one.severity]) for one in alerts
        )

    def gauge(self, metric: Metric, legend: str, how: str = "max", **more: str) -> Target:
        """The maximum, or another aggregate, over all processes."""
        return Target(self.ours.gauge(metric, how, **more).text, legend)

    def by(self, metric: Metric, label: str, how: str = "max") -> Target:
        """The same by label."""
        return Target(f"{how} by ({label}) ({self.ours.of(metric)})", f"{{{{{label}}}}}")

    def sum(self, legend: str, *metrics: Metric) -> Target:
        """The sum of several gauges that one process measures."""
        return Target(added(map(self.ours.gauge, metrics)).text, legend)

    def rate(self, metric: Metric | str, legend: str, **more: str) -> Target:
        """The rate of a counter over all processes."""
        return Target(f"sum({self.ours.rate(metric, 0, **more)})", legend)

    def rates(self, metric: Metric | str, label: str) -> Target:
        """The same by label."""
        return Target(f"sum by ({label}) ({self.ours.rate(metric, 0)})", f"{{{{{label}}}}}")

    def quantiles(self, metric: Metric) -> tuple[Target, ...]:
        """The median and two high quantiles of a histogram."""
        buckets = f"sum by (le) ({self.ours.rate(f'{name_of(metric)}_bucket', 0)})"
        return tuple(Target(f"histogram_quantile({one}, {buckets})", f"p{one * 100:.0f}") for one in QUANTILES)

    def of_process(self, metric: str, *, per_second: bool) -> str:
        """A metric of Python's process collector. It has no label for the spec: it is joined with the info metric."""
        place = f'{{namespace="{NAMESPACE}",job=~"$job",instance=~"$instance"}}'
        query = f"rate({metric}{place}[{RATE_INTERVAL}])" if per_second else f"{metric}{place}"
        return f"{query} and on (job, instance) {self._info}"


def firing(label: str, whose: str) -> Panel:
    """The number of firing alerts; `label` is the label of the kind, `whose` its name for readers."""
    series = f'ALERTS{{alertstate="firing",namespace="{NAMESPACE}",{label}="{NAME}"}}'
    return Panel(
        "Alerts",
        f"Alerts of this {whose} that fire now.",
        "short",
        (Target(f"count({series}) or vector(0)", "firing"),),
        "number",
        steps=(Step(1, "red"),),
    )


def running_versions(info: str) -> Panel:
    """A table of versions and digests, from the info metric."""
    return Panel(
        "Running versions",
        "Processes by role, version of Penstock and digest of their spec. Two digests mean a rollout.",
        "short",
        (Target(f"count by (role, version, digest) ({info})", "Processes"),),
        "table",
        hidden=("__name__",),
    )


def threshold(alert: str) -> str:
    """The placeholder of an alert's threshold."""
    return placeholder(f"threshold of {alert}")


def thresholds(alerts: Iterable[Alert]) -> dict[str, Any]:
    """The values of these placeholders."""
    return {f"threshold of {alert.name}": number(alert.threshold) for alert in alerts}


def number(value: float) -> float:
    """An integer if the value is whole: 300, not 300.0."""
    return int(value) if value == int(value) else value
