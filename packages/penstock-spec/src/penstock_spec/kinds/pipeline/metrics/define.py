"""Helpers to define the metrics of a pipeline: their roles and their common label."""

from __future__ import annotations

from penstock_spec.metrics import LONG, QUICK, Label, Metric, MetricNames, Role, meaning

__all__ = [
    "ALL_ROLES",
    "JANITOR",
    "LONG",
    "MAINTAINERS",
    "NAMES",
    "PIPELINE",
    "PRODUCER",
    "QUICK",
    "SOURCES",
    "WORKER",
    "counter",
    "gauge",
    "histogram",
    "measured",
    "source",
]

WORKER: frozenset[Role] = frozenset({"worker"})
JANITOR: frozenset[Role] = frozenset({"janitor"})
PRODUCER: frozenset[Role] = frozenset({"producer"})
MAINTAINERS = WORKER | JANITOR
ALL_ROLES = MAINTAINERS | PRODUCER

PIPELINE = Label("pipeline", "name of the spec")
NAMES = MetricNames("penstock", PIPELINE)
counter, gauge, histogram = NAMES.counter, NAMES.gauge, NAMES.histogram

SOURCES = meaning(
    new="not read before",
    ready="due again, or given back",
    suspect="its worker was lost",
    parked="waiting for a retry",
    delayed="not in the stream yet",
)


def source(*words: str) -> Label:
    """A label for the state that a message came from."""
    return Label("source", "state of the message before", tuple(one for one in SOURCES if one.name in words))


def measured(name: str, help_: str, *labels: Label) -> Metric:
    """Define a gauge that the janitor measures in Redis."""
    return NAMES.measured(name, help_, JANITOR, *labels)
