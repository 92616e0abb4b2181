"""How the metrics of a pipeline are written down: their roles, and the label that all have."""

from __future__ import annotations

from penstock_spec.metrics import LONG, QUICK, Label, Metric, Naming, Role, meaning

__all__ = [
    "EVERYONE",
    "JANITOR",
    "LONG",
    "NAMES",
    "PIPELINE",
    "PRODUCER",
    "QUICK",
    "SOURCES",
    "SWEEPERS",
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
SWEEPERS = WORKER | JANITOR
EVERYONE = SWEEPERS | PRODUCER

PIPELINE = Label("pipeline", "the spec's name")
NAMES = Naming("penstock", PIPELINE)
counter, gauge, histogram = NAMES.counter, NAMES.gauge, NAMES.histogram

SOURCES = meaning(
    new="nobody had read it",
    ready="due again, or given back",
    suspect="its worker was lost",
    parked="waiting for its retry",
    delayed="not in the stream yet",
)


def source(*words: str) -> Label:
    """The states that a message can come from in a step."""
    return Label("source", "which state it came from", tuple(one for one in SOURCES if one.name in words))


def measured(name: str, help_: str, *labels: Label) -> Metric:
    """A gauge that the janitor asks of Redis."""
    return NAMES.measured(name, help_, JANITOR, *labels)
