"""Rules for Prometheus, and what promtool tests them with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_generate.alerts.define import Series
from penstock_generate.alerts.rules import About, rule, tests
from penstock_generate.around import dashboard, runbook
from penstock_generate.artifact import Artifact
from penstock_generate.dashboards.uid import uid
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.plan import Planned
from penstock_generate.text import document
from penstock_spec.kinds.pipeline.metrics import stream, working
from penstock_spec.kinds.pipeline.spec import Pipeline

DASHBOARD = "penstock:dashboard:info"
"""Recorded: 1, with the uid of a pipeline's dashboard as a label."""


def files(it: Planned, alerts: list[Alert], rules: list[dict[str, Any]]) -> Iterator[Artifact]:
    """The rules for a Prometheus that reads files, and their tests."""
    yield Artifact(f"{it.folder}/rules.yaml", document({"groups": rules}), __name__)
    yield Artifact(f"{it.folder}/rules.test.yaml", document(tests(_about(it), alerts, "rules.yaml")), __name__)


def groups(it: Planned, alerts: list[Alert]) -> list[dict[str, Any]]:
    """The rules: what is asked often is recorded, and the alerts."""
    about = _about(it)
    return [
        {"name": f"{it.name}.recorded", "rules": list(_recorded(it))},
        {"name": f"{it.name}.alerts", "rules": [rule(about, alert) for alert in alerts]},
    ]


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


def labels_of(it: Planned) -> dict[str, str]:
    """What tells a pipeline's series from others."""
    return {"namespace": it.around.namespace, "pipeline": it.name}


def _about(it: Planned) -> About:
    spec: Pipeline = it.spec
    drawn = dashboard(it.around, uid(it.environment, it.name))
    return About(labels_of(it), spec.owner.team, runbook(it.around, it.folder), drawn)
