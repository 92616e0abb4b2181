"""The overview of an environment: all its specs in comparison, and shared services. Each kind has its own rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from penstock_generate.dashboards.grafana import to_grafana
from penstock_generate.dashboards.json_text import compact, pretty
from penstock_generate.dashboards.panel import Dashboard, Variable
from penstock_generate.dashboards.uid import uid
from penstock_generate.inputs.plan import PlannedEnvironment
from penstock_generate.kinds import Overview, overview_of
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.promql import quoted, selector
from penstock_generate.rendering.templates import Templates

NAME = "penstock-overview"
OVERVIEW = "_overview"
"""The name from which its uid is made."""
FILE = "overview.yaml"


def files(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """The dashboard for people, and for Grafana."""
    data = to_grafana(overview(it))
    yield Artifact(f"{it.folder}/overview.json", pretty(data), __name__)
    values = {"around": it.around, "name": NAME, "labels": labels(), "dashboard": compact(data)}
    file = f"manifests/{FILE}"
    yield templates.artifact(f"{it.folder}/{file}", f"environment/{file}", values)


def labels() -> dict[str, str]:
    """The labels of objects that belong to all specs."""
    return {
        "app.kubernetes.io/name": NAME,
        "app.kubernetes.io/part-of": "penstock",
        "app.kubernetes.io/managed-by": "penstock",
    }


def overview(it: PlannedEnvironment) -> Dashboard:
    """The dashboard as a value."""
    namespace = it.around.namespace
    overviews = [overview_of(kind) for kind in it.kinds]
    return Dashboard(
        uid=uid(it.environment, OVERVIEW),
        title=f"Pipelines ({it.environment})",
        description=f"All pipelines and schedulers of {it.environment}, namespace {namespace}.",
        tags=("penstock", "overview", it.environment),
        variables=tuple(_variables(overviews, namespace)),
        rows=tuple(row for one in overviews for row in one.rows(namespace)),
    )


def _variables(overviews: Sequence[Overview], namespace: str) -> Iterator[Variable]:
    """The names of specs by kind; then job and instance of all kinds."""
    for one in overviews:
        metric = selector(one.info, {"namespace": namespace})
        yield Variable(one.label, f"label_values({metric}, {one.label})")
    infos = quoted("|".join(one.info for one in overviews))
    processes = f"{{__name__=~{infos},namespace={quoted(namespace)}"
    yield Variable("job", f"label_values({processes}}}, job)")
    yield Variable("instance", f'label_values({processes},job=~"$job"}}, instance)')
