"""Helpers to define the metrics of a scheduler: their role and their common label."""

from __future__ import annotations

from penstock_spec.metrics import Label, Metric, MetricNames, Role

POD: frozenset[Role] = frozenset({"scheduler"})

SCHEDULER = Label("scheduler", "name of the spec")
NAMES = MetricNames("penstock_scheduler", SCHEDULER)


def counter(name: str, help_: str, *labels: Label) -> Metric:
    return NAMES.counter(name, help_, POD, *labels)


def gauge(name: str, help_: str, *labels: Label) -> Metric:
    return NAMES.gauge(name, help_, POD, *labels)


def measured(name: str, help_: str, *labels: Label) -> Metric:
    """Define a gauge that a pod measures in Redis."""
    return NAMES.measured(name, help_, POD, *labels)


def histogram(name: str, help_: str, buckets: tuple[float, ...], *labels: Label) -> Metric:
    """Define a histogram of durations."""
    return NAMES.histogram(name, help_, POD, buckets, *labels)
