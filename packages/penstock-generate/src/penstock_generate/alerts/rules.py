"""Alerts as rules for Prometheus, and what promtool tests these with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from penstock_generate.alerts.define import Alert
from penstock_generate.rendering.yaml_text import Written

AFTER = 1
"""Minutes after which what was to fire has fired."""


@dataclass(frozen=True, slots=True)
class About:
    """What alerts are about, as each of them says it."""

    labels: Mapping[str, str]
    """What tells it from others."""
    team: str
    """Who is told."""
    runbook: str | None
    """The page with a heading for each alert."""
    dashboard: str | None
    """Where it can be seen."""

    def labels_of(self, alert: Alert) -> dict[str, str]:
        """Of an alert that fires."""
        return {**self.labels, "severity": alert.severity, "team": self.team}

    def annotations_of(self, alert: Alert, value: float | None = None) -> dict[str, str]:
        """What it tells people: of a value, or with the place for one."""
        said = {"summary": alert.summary, "description": alert.described(value)}
        if self.runbook:
            said["runbook_url"] = f"{self.runbook}#{alert.name.lower()}"
        if self.dashboard:
            said["dashboard_url"] = self.dashboard
        return said


def rule(about: About, alert: Alert) -> dict[str, Any]:
    """As Prometheus reads it."""
    told: dict[str, Any] = {"alert": alert.name, "expr": alert.expression}
    if alert.minutes:
        told["for"] = f"{alert.minutes}m"
    return {**told, "labels": about.labels_of(alert), "annotations": about.annotations_of(alert)}


def suite(rules: str, tests: list[Any] | Written) -> dict[str, Any]:
    """As promtool reads it."""
    return {"rule_files": [rules], "evaluation_interval": "1m", "tests": tests}


def tests(about: About, alert: Alert) -> Iterator[dict[str, Any]]:
    """An alert is quiet on this side of its threshold and before its time, and fires on the other and after it."""
    end = alert.query.warm + alert.minutes + AFTER
    fired = {"exp_labels": about.labels_of(alert), "exp_annotations": about.annotations_of(alert, alert.loud)}
    yield _test(alert, "is quiet at its threshold", alert.quiet, {end: []})
    early: dict[int, list[Any]] = {alert.query.beyond(alert.loud) + alert.minutes - 1: []} if alert.minutes else {}
    yield _test(alert, "fires beyond it, after its time", alert.loud, {**early, end: [fired]})


def _test(alert: Alert, says: str, value: float, expected: dict[int, list[Any]]) -> dict[str, Any]:
    series = alert.query.feed(value)
    return {
        "name": f"{alert.name} {says}",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{at}m", "alertname": alert.name, "exp_alerts": alerts} for at, alerts in expected.items()
        ],
    }
