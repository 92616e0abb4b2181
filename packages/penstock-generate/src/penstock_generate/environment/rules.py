"""Rules for Prometheus on shared services of an environment, and their promtool tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_generate.alerts.define import Alert
from penstock_generate.alerts.rules import AlertContext, rule, suite, tests
from penstock_generate.dashboards.uid import uid
from penstock_generate.environment.alerts import alerts
from penstock_generate.environment.overview import OVERVIEW
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.inputs.references import dashboard, runbook
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_generate.rendering.yaml_text import document

TEAM = "platform"
"""The team that runs Redis and KEDA. Without a route of this name in the platform file, the default route is used."""


def emit(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """The rules, their tests, and their runbook."""
    about, its_alerts = about_of(it), alerts(it)
    yield Artifact(f"{it.folder}/rules.yaml", document({"groups": groups(it)}), __name__)
    each = [test for alert in its_alerts for test in tests(about, alert)]
    yield Artifact(f"{it.folder}/rules.test.yaml", document(suite("rules.yaml", each)), __name__)
    yield templates.artifact(f"{it.folder}/runbook.md", "environment/runbook.md", _template_values(it, its_alerts))


def groups(it: PlannedEnvironment) -> list[dict[str, Any]]:
    """The groups of rules."""
    about = about_of(it)
    return [{"name": f"{it.environment}.alerts", "rules": [rule(about, alert) for alert in alerts(it)]}]


def about_of(it: PlannedEnvironment) -> AlertContext:
    """The labels and annotations of the environment's alerts."""
    return AlertContext(
        {"namespace": it.around.namespace},
        TEAM,
        runbook(it.around, it.folder),
        dashboard(it.around, uid(it.environment, OVERVIEW)),
    )


def _template_values(it: PlannedEnvironment, its_alerts: list[Alert]) -> dict[str, Any]:
    return {"environment": it.environment, "around": it.around, "alerts": {alert.name: alert for alert in its_alerts}}
