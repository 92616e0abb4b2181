"""Rules for Prometheus about a spec, and what promtool tests them with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from penstock_generate.alerts.define import Alert
from penstock_generate.alerts.rules import About, rule, tests
from penstock_generate.around import dashboard, runbook
from penstock_generate.artifact import Artifact
from penstock_generate.dashboards.uid import uid
from penstock_generate.plan import Planned
from penstock_generate.text import document
from penstock_spec.kinds import kinds

DASHBOARD = "penstock:dashboard:info"
"""Recorded: 1, with the uid of a spec's dashboard as a label."""


def files(it: Planned, alerts: Iterable[Alert], groups: list[dict[str, Any]]) -> Iterator[Artifact]:
    """The rules for a Prometheus that reads files, and their tests."""
    yield Artifact(f"{it.folder}/rules.yaml", document({"groups": groups}), __name__)
    yield Artifact(f"{it.folder}/rules.test.yaml", document(tests(_about(it), alerts, "rules.yaml")), __name__)


def groups(it: Planned, alerts: Iterable[Alert], recorded: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rules: what is asked often is recorded, as queries by name, and the alerts."""
    about = _about(it)
    return [
        {"name": f"{it.name}.recorded", "rules": list(_recorded(it, recorded))},
        {"name": f"{it.name}.alerts", "rules": [rule(about, alert) for alert in alerts]},
    ]


def _recorded(it: Planned, queries: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    labels = labels_of(it)
    for name, query in queries.items():
        yield {"record": name, "expr": query, "labels": labels}
    # Whatever shows many specs learns from it where the dashboard of each is.
    yield {
        "record": DASHBOARD,
        "expr": "vector(1)",
        "labels": labels | {"dashboard": uid(it.environment, it.name)},
    }


def labels_of(it: Planned) -> dict[str, str]:
    """What tells its series from others."""
    return {"namespace": it.around.namespace, label_of(it.spec.kind): it.name}


def label_of(kind: str) -> str:
    """The label that all metrics of a kind have, with the name of the spec."""
    return kinds()[kind].contract.shared.name


def _about(it: Planned) -> About:
    drawn = dashboard(it.around, uid(it.environment, it.name))
    return About(labels_of(it), it.spec.owner.team, runbook(it.around, it.folder), drawn)
