"""What the source documents want watched is watched: by an alert and a panel that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from penstock_generate.alerts.define import Alert
from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.alerts import Sources, alerts
from penstock_generate.kinds.pipeline.dashboard import ROWS
from penstock_generate.kinds.pipeline.dashboard.define import Shape, Shown
from penstock_generate.kinds.scheduler.alerts import Sources as SourcesOfJobs
from penstock_generate.kinds.scheduler.alerts import alerts as alerts_of_jobs
from penstock_generate.kinds.scheduler.dashboard import ROWS as ROWS_OF_JOBS
from penstock_generate.kinds.scheduler.dashboard.define import Shape as ShapeOfJobs
from penstock_generate.kinds.scheduler.dashboard.define import Shown as ShownOfJobs
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.scheduler.spec import Scheduler

ROOT = Path(__file__).parents[2]
SPECS = [path.stem for path in sorted((ROOT / "specs").glob("*.yaml"))]
WATCHED = {"000", "001", "003", "004"}


def variants(spec: Pipeline) -> Iterator[Pipeline]:
    """With each choice that decides which alerts and panels there are."""
    data = spec.model_dump(mode="json", by_alias=True)
    data["scaling"]["fallback"] = {"replicas": 1, "failures": 3}
    for when_full in ("reject", "wait", "drop-oldest"):
        data["stream"]["backlog"] |= {"when_full": when_full, "lossy": True}
        yield Pipeline.model_validate(data)


@pytest.fixture(scope="module")
def there(resolved: Callable[[str, str], Any]) -> tuple[set[str], set[str]]:
    """Every alert and every panel that a spec can have."""
    names, titles = set(), set()
    for one in (resolved(name, "production") for name in SPECS):
        for found, panels in of_scheduler(one) if isinstance(one, Scheduler) else of_pipeline(one):
            names |= {alert.name for alert in found}
            titles |= {panel.title for panel in panels}
    return names, titles


Shows = tuple[list[Alert], list[Panel]]


def of_pipeline(one: Pipeline) -> Iterator[Shows]:
    for spec in variants(one):
        found = alerts(spec, Sources.of("x", spec.name))
        on = Shown(Shape.of(spec, found, has_runbooks=True))
        yield found, [panel for row in ROWS for panel in row.panels(on)]


def of_scheduler(spec: Scheduler) -> Iterator[Shows]:
    found = alerts_of_jobs(spec, SourcesOfJobs.of("x", spec.name))
    on = ShownOfJobs(ShapeOfJobs.of(spec, found, has_runbooks=True))
    yield found, [panel for row in ROWS_OF_JOBS for panel in row.panels(on)]


def named(observing: ModuleType, what: str) -> list[str]:
    rows = (row for rows in observing.read(ROOT).seeds.values() for row in rows)
    return [name for row in rows for name in getattr(row, what)]


def test_each_that_is_named_is_there(observing: ModuleType, there: tuple[set[str], set[str]]) -> None:
    """Nothing in the table is made up."""
    for what, known in zip(("alerts", "panels"), there, strict=True):
        assert set(named(observing, what)) - known == set()


def test_each_that_is_there_is_named(observing: ModuleType, there: tuple[set[str], set[str]]) -> None:
    """In a row, or among those that we added; not in both."""
    for what, known in zip(("alerts", "panels"), there, strict=True):
        ours = getattr(observing.read(ROOT).ours, what)
        assert set(named(observing, what)) & ours.keys() == set()
        assert set(named(observing, what)) | ours.keys() == known
        assert all(ours.values())


def test_each_document_is_told(observing: ModuleType) -> None:
    """And each thing of it once."""
    table = observing.read(ROOT).seeds
    assert table.keys() == WATCHED
    for rows in table.values():
        told = [row.there for row in rows]
        assert len(set(told)) == len(told)


def test_each_metric_of_the_documents_is_on_a_panel(seeds: ModuleType) -> None:
    """What seeds.yaml says that a metric tells can be seen."""
    shown = "\n".join(path.read_text() for path in (ROOT / "generated").glob("*/*/dashboard.json"))
    wanted = [
        row.metric for seed, rows in seeds.read(ROOT).items() if seed in WATCHED
        for section in rows.values() for row in section if row.metric
    ]  # fmt: skip
    assert [name for name in wanted if name not in shown] == []
