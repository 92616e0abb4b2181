"""The dashboard of a pipeline, with a row for each topic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from penstock_generate.alerts.define import RATE_INTERVAL
from penstock_generate.around import runbook
from penstock_generate.artifact import Artifact
from penstock_generate.dashboards.blanks import Form, blank
from penstock_generate.dashboards.grafana import made
from penstock_generate.dashboards.panel import Dashboard, Link, Mark, Row, Variable
from penstock_generate.dashboards.text import compact, pretty
from penstock_generate.dashboards.uid import uid
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.kinds.pipeline.dashboard import backlog, failures, glance, janitor, scaling, sending, work
from penstock_generate.kinds.pipeline.dashboard.define import Shape, Shown, values
from penstock_generate.plan import Planned
from penstock_generate.promql import quoted
from penstock_spec.kinds.pipeline.metrics import process

__all__ = ["Drawn", "drawn"]

ROWS: tuple[ModuleType, ...] = (glance, backlog, work, failures, sending, janitor, scaling)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pipeline's dashboard."""

    artifact: Artifact
    """For whoever reads it."""
    compact: str
    """For Grafana, by a ConfigMap."""


def drawn(it: Planned, found: list[Alert]) -> Drawn:
    """In an environment, with these alerts."""
    namespace, name = it.around.namespace, it.name
    shape = Shape.of(it.spec, found, has_runbooks=it.around.runbooks is not None)
    read, sent = _built(shape)
    told = values(it.spec, namespace, found) | {
        "uid": uid(it.environment, name),
        "name": name,
        "environment": it.environment,
        "team": it.spec.owner.team,
        "namespace in a query": quoted(namespace)[1:-1],
        "name in a query": quoted(name)[1:-1],
        "runbook": runbook(it.around, it.folder) or "",
    }
    return Drawn(Artifact(f"{it.folder}/dashboard.json", read.filled(told), __name__), sent.filled(told))


@lru_cache(maxsize=64)  # of shapes: there are a dozen of them, however many pipelines
def _built(shape: Shape) -> tuple[Form, Form]:
    data = made(_dashboard(shape))
    return Form.of(pretty(data)), Form.of(compact(data))


def _dashboard(shape: Shape) -> Dashboard:
    on = Shown(shape)
    told = on.deployment.of(scaling.REPLICAS)
    info: dict[str, Any] = {"namespace": blank("namespace in a query"), "pipeline": blank("name in a query")}
    ours = ",".join(f'{label}="{value}"' for label, value in info.items())
    return Dashboard(
        uid=blank("uid"),
        title=f"{blank('name')} ({blank('environment')})",
        description=f"The pipeline {blank('name')} in {blank('environment')}, namespace {blank('namespace')}. "
        "Lines are where its alerts fire, or bounds that its spec sets.",
        tags=("penstock", "pipeline", blank("environment"), blank("team")),
        variables=(
            Variable("job", f"label_values({process.INFO.name}{{{ours}}}, job)"),
            Variable("instance", f'label_values({process.INFO.name}{{{ours},job=~"$job"}}, instance)'),
        ),
        rows=tuple(Row(module.TITLE, tuple(module.panels(on))) for module in ROWS),
        links=(Link("Runbook", blank("runbook")),) if shape.has_runbooks else (),
        marks=(Mark("Pods", f"changes({told}[{RATE_INTERVAL}]) > 0"),),
    )
