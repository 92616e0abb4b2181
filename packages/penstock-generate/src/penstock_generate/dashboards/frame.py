"""The frame of every spec's dashboard, and the values that all of them fill in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock_generate.alerts.define import NAME, NAMESPACE, RATE_INTERVAL, Series, names_in_queries
from penstock_generate.dashboards.panel import Dashboard, Link, Mark, Row, Variable
from penstock_generate.dashboards.uid import uid
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.inputs.references import runbook
from penstock_generate.rendering.placeholders import placeholder
from penstock_spec.metrics import Metric

REPLICAS = "kube_deployment_status_replicas"


def common_values(it: PlannedSpec) -> dict[str, Any]:
    """Values by placeholder."""
    namespace, name = it.around.namespace, it.name
    return {
        "uid": uid(it.environment, name),
        "name": name,
        "environment": it.environment,
        "namespace": namespace,
        "team": it.spec.owner.team,
        "runbook": runbook(it.around, it.folder) or "",
        **names_in_queries(namespace, name),
    }


def around_rows(kind: str, label: str, info: Metric, rows: Sequence[Row], *, has_runbooks: bool) -> Dashboard:
    """The dashboard of a spec around its rows; `label` is the label of its metrics."""
    ours = f'namespace="{NAMESPACE}",{label}="{NAME}"'
    replicas = Series({"namespace": NAMESPACE, "deployment": NAME}).of(REPLICAS)
    return Dashboard(
        uid=placeholder("uid"),
        title=f"{placeholder('name')} ({placeholder('environment')})",
        description=f"The {kind} {placeholder('name')} in {placeholder('environment')}, "
        f"namespace {placeholder('namespace')}. Lines are thresholds of alerts, or limits in the spec.",
        tags=("penstock", kind, placeholder("environment"), placeholder("team")),
        variables=(
            Variable("job", f"label_values({info.name}{{{ours}}}, job)"),
            Variable("instance", f'label_values({info.name}{{{ours},job=~"$job"}}, instance)'),
        ),
        rows=tuple(rows),
        links=(Link("Runbook", placeholder("runbook")),) if has_runbooks else (),
        marks=(Mark("Pods", f"changes({replicas}[{RATE_INTERVAL}]) > 0"),),
    )
