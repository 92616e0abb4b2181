"""How the metrics of a scheduler are written down: who tells them, and the label that all have."""

from __future__ import annotations

from penstock_spec.metrics import Label, Metric, Naming, Role

POD: frozenset[Role] = frozenset({"scheduler"})

SCHEDULER = Label("scheduler", "the spec's name")
NAMES = Naming("penstock_scheduler", SCHEDULER)


def counter(name: str, help_: str, *labels: Label) -> Metric:
    """What only grows."""
    return NAMES.counter(name, help_, POD, *labels)


def gauge(name: str, help_: str, *labels: Label) -> Metric:
    """What goes up and down."""
    return NAMES.gauge(name, help_, POD, *labels)


def measured(name: str, help_: str, *labels: Label) -> Metric:
    """A gauge that a pod asks of Redis."""
    return NAMES.measured(name, help_, POD, *labels)


def histogram(name: str, help_: str, buckets: tuple[float, ...], *labels: Label) -> Metric:
    """How long something took, by buckets."""
    return NAMES.histogram(name, help_, POD, buckets, *labels)
