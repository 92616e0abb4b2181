"""Each measurement in the documents behind the design has a panel, and an alert if it needs one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from penstock_generate.alerts.define import Alert
from penstock_generate.dashboards.panel import Panel
from penstock_generate.kinds.pipeline.alerts import PipelineSources, alerts
from penstock_generate.kinds.pipeline.dashboard import ROWS
from penstock_generate.kinds.pipeline.dashboard.variant import PipelineQueries, PipelineVariant
from penstock_generate.kinds.scheduler.alerts import SchedulerSources
from penstock_generate.kinds.scheduler.alerts import alerts as alerts_of_jobs
from penstock_generate.kinds.scheduler.dashboard import ROWS as ROWS_OF_JOBS
from penstock_generate.kinds.scheduler.dashboard.variant import SchedulerQueries, SchedulerVariant
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.scheduler.spec import Scheduler

ROOT = Path(__file__).parents[2]
SPECS = [path.stem for path in sorted((ROOT / "specs").glob("*.yaml"))]
MONITORED = {"agent-queue-keda", "priority-scheduler", "queue-depth", "ingestion-plan"}


def variants(spec: Pipeline) -> Iterator[Pipeline]:
    """The spec with each choice that adds alerts or panels."""
    data = spec.model_dump(mode="json", by_alias=True)
    data["scaling"]["fallback"] = {"replicas": 1, "failures": 3}
    for when_full in ("reject", "wait", "drop-oldest"):
        data["stream"]["backlog"] |= {"when_full": when_full, "lossy": True}
        yield Pipeline.model_validate(data)


@pytest.fixture(scope="module")
def generated(resolved: Callable[[str, str], Any]) -> tuple[set[str], set[str]]:
    """All alerts and all panels that a spec can have."""
    names, titles = set(), set()
    for one in (resolved(name, "production") for name in SPECS):
        for rules, panels in of_scheduler(one) if isinstance(one, Scheduler) else of_pipeline(one):
            names |= {alert.name for alert in rules}
            titles |= {panel.title for panel in panels}
    return names, titles


Generated = tuple[list[Alert], list[Panel]]


def of_pipeline(one: Pipeline) -> Iterator[Generated]:
    for spec in variants(one):
        rules = alerts(spec, PipelineSources.of("x", spec.name))
        queries = PipelineQueries(PipelineVariant.of(spec, rules, has_runbooks=True))
        yield rules, [panel for row in ROWS for panel in row.panels(queries)]


def of_scheduler(spec: Scheduler) -> Iterator[Generated]:
    rules = alerts_of_jobs(spec, SchedulerSources.of("x", spec.name))
    queries = SchedulerQueries(SchedulerVariant.of(spec, rules, has_runbooks=True))
    yield rules, [panel for row in ROWS_OF_JOBS for panel in row.panels(queries)]


def named(origins: ModuleType, what: str) -> list[str]:
    rows = (row for document in origins.read(ROOT).documents.values() for row in document.monitoring)
    return [name for row in rows for name in getattr(row, what)]


def test_each_named_alert_and_panel_exists(origins: ModuleType, generated: tuple[set[str], set[str]]) -> None:
    for what, known in zip(("alerts", "panels"), generated, strict=True):
        assert set(named(origins, what)) - known == set()


def test_each_alert_and_panel_is_named(origins: ModuleType, generated: tuple[set[str], set[str]]) -> None:
    """In a row or among the additions, but not in both; each addition has a reason."""
    for what, known in zip(("alerts", "panels"), generated, strict=True):
        additions = getattr(origins.read(ROOT).additions, what)
        assert set(named(origins, what)) & additions.keys() == set()
        assert set(named(origins, what)) | additions.keys() == known
        assert all(additions.values())


def test_each_document_with_metrics_is_covered(origins: ModuleType) -> None:
    """Each item has one row."""
    documents = origins.read(ROOT).documents
    assert {name for name, document in documents.items() if document.monitoring} == MONITORED
    for document in documents.values():
        items = [row.what for row in document.monitoring]
        assert len(set(items)) == len(items)


def test_each_metric_of_the_documents_is_on_a_panel(origins: ModuleType) -> None:
    dashboards = "\n".join(path.read_text() for path in (ROOT / "generated").glob("*/*/dashboard.json"))
    documents = origins.read(ROOT).documents
    wanted = [row.metric for name in MONITORED for row in documents[name].rows if row.metric]
    assert [name for name in wanted if name not in dashboards] == []
