"""The dashboard of a pipeline, one row per topic."""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType

from penstock_generate.dashboards.files import Draft, Drawn
from penstock_generate.dashboards.frame import framed, of_every
from penstock_generate.dashboards.grafana import made
from penstock_generate.dashboards.panel import Row
from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.kinds.pipeline.alerts import Alert
from penstock_generate.kinds.pipeline.dashboard import backlog, failures, glance, janitor, scaling, sends, workers
from penstock_generate.kinds.pipeline.dashboard.variant import Shape, Shown, values
from penstock_spec.kinds.pipeline.metrics import process

__all__ = ["drawn"]

ROWS: tuple[ModuleType, ...] = (glance, backlog, workers, failures, sends, janitor, scaling)


def drawn(it: PlannedSpec, found: list[Alert]) -> Drawn:
    """The dashboard of a pipeline with these alerts."""
    shape = Shape.of(it.spec, found, has_runbooks=it.around.runbooks is not None)
    return _built(shape).filled(it.folder, values(it.spec, found) | of_every(it), __name__)


@lru_cache(maxsize=64)  # there are about a dozen variants, however many pipelines
def _built(shape: Shape) -> Draft:
    on = Shown(shape)
    rows = [Row(module.TITLE, tuple(module.panels(on))) for module in ROWS]
    return Draft.of(made(framed("pipeline", "pipeline", process.INFO, rows, has_runbooks=shape.has_runbooks)))
