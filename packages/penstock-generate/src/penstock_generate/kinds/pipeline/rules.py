"""Rules for Prometheus, and what promtool tests them with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_generate.artifact import Artifact
from penstock_generate.dashboards.uid import uid
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.kinds.pipeline.alerts.define import Series
from penstock_generate.plan import Planned
from penstock_generate.text import document
from penstock_spec.kinds.pipeline.metrics import stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline

DASHBOARD = "penstock:dashboard:info"
"""Recorded: 1, with the uid of a pipeline's dashboard as a label."""
AFTER = 5
"""Minutes after which what was to fire has fired."""


def files(it: Planned, alerts: list[Alert], rules: list[dict[str, Any]]) -> Iterator[Artifact]:
    """The rules for a Prometheus that reads files, and their tests."""
    yield Artifact(f"{it.folder}/rules.yaml", document({"groups": rules}), __name__)
    yield Artifact(f"{it.folder}/rules.test.yaml", document(tests(it, alerts, "rules.yaml")), __name__)


def groups(it: Planned, alerts: list[Alert]) -> list[dict[str, Any]]:
    """The rules: what is asked often is recorded, and the alerts."""
    return [
        {"name": f"{it.name}.recorded", "rules": list(_recorded(it))},
        {"name": f"{it.name}.alerts", "rules": [_rule(it, alert) for alert in alerts]},
    ]


def tests(it: Planned, alerts: list[Alert], rules: str) -> dict[str, Any]:
    """Each alert is quiet on this side of its threshold and before its time, and fires on the other and after it."""
    return {
        "rule_files": [rules],
        "evaluation_interval": "1m",
        "tests": [test for alert in alerts for test in _tests(it, alert)],
    }


def _recorded(it: Planned) -> Iterator[dict[str, Any]]:
    ours = Series(labels_of(it))
    took = f"{working.HANDLING_SECONDS.name}_bucket"
    queries = {
        "penstock:done:rate5m": f"sum(rate({ours.of(working.DONE)}[5m]))",
        "penstock:handling_seconds:p95_5m": f"histogram_quantile(0.95, sum by (le) (rate({ours.of(took)}[5m])))",
        "penstock:oldest_seconds:max": f"max({ours.of(stream.OLDEST_SECONDS)})",
    }
    for name, query in queries.items():
        yield {"record": name, "expr": query, "labels": labels_of(it)}
    # Whatever shows many pipelines learns from it where the dashboard of each is.
    yield {
        "record": DASHBOARD,
        "expr": "vector(1)",
        "labels": labels_of(it) | {"dashboard": uid(it.environment, it.name)},
    }


def _rule(it: Planned, alert: Alert) -> dict[str, Any]:
    rule: dict[str, Any] = {"alert": alert.name, "expr": alert.expression}
    if alert.minutes:
        rule["for"] = f"{alert.minutes}m"
    return {**rule, "labels": _labels(it, alert), "annotations": _annotations(it, alert)}


def runbook(it: Planned) -> str:
    """Where its runbook is published."""
    return f"{str(it.around.runbooks).rstrip('/')}/{it.folder}/runbook.md"


def labels_of(it: Planned) -> dict[str, str]:
    """What tells a pipeline's series from others."""
    return {"namespace": it.around.namespace, "pipeline": it.name}


def _labels(it: Planned, alert: Alert) -> dict[str, str]:
    spec: Pipeline = it.spec
    return {**labels_of(it), "severity": alert.severity, "team": spec.owner.team}


def _annotations(it: Planned, alert: Alert, value: float | None = None) -> dict[str, str]:
    said = {"summary": alert.summary, "description": alert.described(value)}
    if it.around.runbooks:
        said["runbook_url"] = f"{runbook(it)}#{alert.name.lower()}"
    if it.around.grafana:
        said["dashboard_url"] = f"{str(it.around.grafana).rstrip('/')}/d/{uid(it.environment, it.name)}"
    return said


def _tests(it: Planned, alert: Alert) -> Iterator[dict[str, Any]]:
    end = alert.query.warm + alert.minutes + AFTER
    fired = {"exp_labels": _labels(it, alert), "exp_annotations": _annotations(it, alert, alert.loud)}
    yield _test(alert, "is quiet at its threshold", alert.quiet, {end: []})
    early: dict[int, list[Any]] = {alert.minutes - 1: []} if alert.minutes else {}
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
