"""The dashboard of a pipeline, one row per topic."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from penstock_generate.dashboards.files import DashboardTemplate, DashboardText
from penstock_generate.dashboards.frame import around_rows, common_values
from penstock_generate.dashboards.grafana import to_grafana
from penstock_generate.dashboards.panel import Row
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.kinds.pipeline.dashboard import backlog, failures, glance, janitor, scaling, sends, workers
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries, PipelineVariant, values
from penstock_spec.kinds.pipeline.metrics import process

__all__ = ["dashboard"]

ROWS: tuple[ModuleType, ...] = (glance, backlog, workers, failures, sends, janitor, scaling)


def dashboard(it: PlannedSpec, alerts: list[Alert]) -> DashboardText:
    """The dashboard of a pipeline with these alerts."""
    variant = PipelineVariant.of(it.spec, alerts, has_runbooks=it.around.runbooks is not None)
    return _template(variant).filled(it.folder, values(it.spec, alerts) | common_values(it), __name__)


@lru_cache(maxsize=64)  # there are about a dozen variants, however many pipelines
def _template(variant: PipelineVariant) -> DashboardTemplate:
    query = PipelineQueries(variant)
    rows = [Row(module.TITLE, tuple(module.panels(query))) for module in ROWS]
    return DashboardTemplate.of(
        to_grafana(around_rows("pipeline", "pipeline", process.INFO, rows, has_runbooks=variant.has_runbooks))
    )
