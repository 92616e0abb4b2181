"""Alerts as Prometheus rules and promtool tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from penstock_generate.alerts.define import Alert
from penstock_generate.rendering.yaml_text import YamlText

AFTER = 1
"""Minutes after which an alert must have fired in a test."""


@dataclass(frozen=True, slots=True)
class AlertContext:
    """The labels and annotations that all alerts of a spec share."""

    labels: Mapping[str, str]
    """Labels that select the spec."""
    team: str
    """The team that is notified."""
    runbook: str | None
    """The URL of the page with a heading per alert."""
    dashboard: str | None
    """The URL of the dashboard."""

    def labels_of(self, alert: Alert) -> dict[str, str]:
        """The labels of a firing alert."""
        return {**self.labels, "severity": alert.severity, "team": self.team}

    def annotations_of(self, alert: Alert, value: float | None = None) -> dict[str, str]:
        """The annotations, with a value or with Prometheus's template for it."""
        annotations = {"summary": alert.summary, "description": alert.described(value)}
        if self.runbook:
            annotations["runbook_url"] = f"{self.runbook}#{alert.name.lower()}"
        if self.dashboard:
            annotations["dashboard_url"] = self.dashboard
        return annotations


def rule(about: AlertContext, alert: Alert) -> dict[str, Any]:
    """The rule for Prometheus."""
    rule: dict[str, Any] = {"alert": alert.name, "expr": alert.expression}
    if alert.minutes:
        rule["for"] = f"{alert.minutes}m"
    return {**rule, "labels": about.labels_of(alert), "annotations": about.annotations_of(alert)}


def suite(rules: str, tests: list[Any] | YamlText) -> dict[str, Any]:
    """The test file for promtool."""
    return {"rule_files": [rules], "evaluation_interval": "1m", "tests": tests}


def tests(about: AlertContext, alert: Alert) -> Iterator[dict[str, Any]]:
    """Two tests: quiet at the threshold, firing beyond it once its time has passed, and not before."""
    end = alert.query.warm_up + alert.minutes + AFTER
    fired = {"exp_labels": about.labels_of(alert), "exp_annotations": about.annotations_of(alert, alert.firing_value)}
    yield _test(alert, "is quiet at its threshold", alert.quiet_value, {end: []})
    early: dict[int, list[Any]] = (
        {alert.query.beyond(alert.firing_value) + alert.minutes - 1: []} if alert.minutes else {}
    )
    yield _test(alert, "fires beyond it, after its time", alert.firing_value, {**early, end: [fired]})


def _test(alert: Alert, behaviour: str, value: float, expected: dict[int, list[Any]]) -> dict[str, Any]:
    series = alert.query.test_series(value)
    return {
        "name": f"{alert.name} {behaviour}",
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{at}m", "alertname": alert.name, "exp_alerts": alerts} for at, alerts in expected.items()
        ],
    }
