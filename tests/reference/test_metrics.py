"""The metric contract is complete, follows naming conventions, and matches its page."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from penstock_spec.kinds import Kind, kinds
from penstock_spec.kinds.pipeline.metrics.define import PIPELINE
from penstock_spec.metrics import Contract, Label, Metric, MetricKind, Role, meaning
from penstock_spec.reference.metrics import page

WORKER: frozenset[Role] = frozenset({"worker"})
FORBIDDEN = {
    "consumer",
    "job",
    "id",
    "message",
    "message_id",
    "correlation",
    "error",
    "exception",
    "environment",
    "namespace",
}

EVERY = [(kind, metric) for kind in kinds().values() for metric in kind.contract.metrics().values()]
each = pytest.mark.parametrize(
    ("contract", "metric"), [(kind.contract, one) for kind, one in EVERY], ids=[one.name for _, one in EVERY]
)
MEASURING: dict[str, frozenset[Role]] = {"pipeline": frozenset({"janitor"}), "scheduler": frozenset({"scheduler"})}


@pytest.mark.parametrize("kind", kinds().values(), ids=kinds())
def test_every_metric_constant_is_in_the_contract(kind: Kind) -> None:
    """In one topic."""
    package = importlib.import_module(kind.metrics)
    names = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    modules = [importlib.import_module(one.name) for one in names]
    constants = [one for module in modules for one in vars(module).values() if isinstance(one, Metric)]
    listed = [one for topic in kind.contract.topics for one in topic.metrics]
    assert {one.name for one in constants} == set(kind.contract.metrics())
    assert len(listed) == len({one.name for one in listed})


def test_no_two_kinds_share_a_metric_name() -> None:
    """Otherwise series of one metric would have different labels."""
    names = [metric.name for _, metric in EVERY]
    assert len(set(names)) == len(names)


@each
def test_labels_are_the_spec_and_bounded_values(contract: Contract, metric: Metric) -> None:
    """The first label is the name of the spec; no label has unbounded values."""
    assert metric.labels[0] == contract.shared
    names = [label.name for label in metric.labels]
    assert len(set(names)) == len(names)
    assert not FORBIDDEN & set(names)
    assert metric.roles


@each
def test_each_metric_has_a_help_text(contract: Contract, metric: Metric) -> None:
    """A sentence; and each value of a label has a meaning."""
    assert metric.help[0].isupper() or metric.help[0].isdigit()
    assert metric.help.endswith(".")
    assert all(value.meaning for label in metric.labels for value in label.values)
    assert not metric.measured or metric.roles == MEASURING[contract.shared.name]


@each
def test_the_page_has_each_metric_with_its_labels(contract: Contract, metric: Metric) -> None:
    """Each metric has its own row."""
    text = page({contract.shared.name: contract})
    [row] = [line for line in text.splitlines() if line.startswith(f"| `{metric.name}` | {metric.kind}")]
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[3] == metric.help
    assert cells[4] == ", ".join(sorted(metric.roles))
    words = [f"`{word}`" for label in metric.labels[1:] for word in (label.name, *label.words)]
    assert [word for word in words if word not in cells[5]] == []


@pytest.mark.parametrize(
    ("name", "kind", "buckets"),
    [
        ("done_total", MetricKind.COUNTER, ()),
        ("penstock_Done_total", MetricKind.COUNTER, ()),
        ("penstock_done", MetricKind.COUNTER, ()),
        ("penstock_running_total", MetricKind.GAUGE, ()),
        ("penstock_handling_seconds", MetricKind.HISTOGRAM, ()),
        ("penstock_running", MetricKind.GAUGE, (1.0,)),
        ("penstock_handling_seconds", MetricKind.HISTOGRAM, (1.0, 1.0)),
    ],
)
def test_an_invalid_metric_is_refused(name: str, kind: MetricKind, buckets: tuple[float, ...]) -> None:
    """At its definition, not at the first scrape."""
    with pytest.raises(ValueError, match=name):
        Metric(name, kind, "A help text.", WORKER, (PIPELINE,), buckets)


def test_an_invalid_label_is_refused() -> None:
    """A valid label lists its values."""
    with pytest.raises(ValueError, match="Not-a-label"):
        Label("Not-a-label", "nothing")
    assert Label("why", "the cause", meaning(one="the first", two="the second")).words == ("one", "two")
