"""The dashboard of a scheduler, one row per topic."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from penstock_generate.dashboards.files import DashboardTemplate, DashboardText
from penstock_generate.dashboards.frame import around_rows, common_values
from penstock_generate.dashboards.grafana import to_grafana
from penstock_generate.dashboards.panel import Row
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.scheduler.alerts import Alert
from penstock_generate.kinds.scheduler.dashboard import due, glance, maintenance, pods, redis, runs
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries, SchedulerVariant, values
from penstock_spec.kinds.scheduler.metrics import process

__all__ = ["dashboard"]

ROWS: tuple[ModuleType, ...] = (glance, due, runs, redis, maintenance, pods)


def dashboard(it: PlannedSpec, alerts: list[Alert]) -> DashboardText:
    """The dashboard of a scheduler with these alerts."""
    variant = SchedulerVariant.of(it.spec, alerts, has_runbooks=it.around.runbooks is not None)
    return _template(variant).filled(it.folder, values(it.spec, alerts) | common_values(it), __name__)


@lru_cache(maxsize=64)
def _template(variant: SchedulerVariant) -> DashboardTemplate:
    query = SchedulerQueries(variant)
    rows = [Row(module.TITLE, tuple(module.panels(query))) for module in ROWS]
    return DashboardTemplate.of(
        to_grafana(around_rows("scheduler", "scheduler", process.INFO, rows, has_runbooks=variant.has_runbooks))
    )
