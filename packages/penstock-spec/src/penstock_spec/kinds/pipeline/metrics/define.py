"""How the metrics of a pipeline are written down: their roles, their buckets, and the label that all have."""

from __future__ import annotations

from penstock_spec.metrics import Label, Metric, MetricKind, Role, meaning

WORKER: frozenset[Role] = frozenset({"worker"})
JANITOR: frozenset[Role] = frozenset({"janitor"})
PRODUCER: frozenset[Role] = frozenset({"producer"})
SWEEPERS = WORKER | JANITOR
EVERYONE = SWEEPERS | PRODUCER

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Buckets for what Redis does: from half a millisecond to ten seconds."""
LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800, 3600)
"""Buckets for what handlers do, and for what waits for them: from five milliseconds to an hour."""

PIPELINE = Label("pipeline", "the spec's name")
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


def counter(name: str, help_: str, who: frozenset[Role], *labels: Label) -> Metric:
    """What only grows."""
    return Metric(f"penstock_{name}_total", MetricKind.COUNTER, help_, who, (PIPELINE, *labels))


def gauge(name: str, help_: str, who: frozenset[Role], *labels: Label) -> Metric:
    """What goes up and down."""
    return Metric(f"penstock_{name}", MetricKind.GAUGE, help_, who, (PIPELINE, *labels))


def measured(name: str, help_: str, *labels: Label) -> Metric:
    """A gauge that the janitor asks of Redis."""
    return Metric(f"penstock_{name}", MetricKind.GAUGE, help_, JANITOR, (PIPELINE, *labels), measured=True)


def histogram(name: str, help_: str, who: frozenset[Role], buckets: tuple[float, ...], *labels: Label) -> Metric:
    """How long something took, by buckets."""
    return Metric(f"penstock_{name}_seconds", MetricKind.HISTOGRAM, help_, who, (PIPELINE, *labels), buckets)
