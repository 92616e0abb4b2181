"""The contract of metrics between processes that export them and queries.

A kind of spec lists its metrics once. The runtime creates its counters from the list, and queries take their names from
it, so that an alert cannot query a metric that does not exist.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal, NamedTuple

Role = Literal["worker", "janitor", "producer", "scheduler"]
"""The role that exports a metric."""

NAME = re.compile(r"penstock(_[a-z0-9]+)+")
LABEL = re.compile(r"[a-z]+(_[a-z]+)*")

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
"""Buckets for calls to Redis: from half a millisecond to ten seconds."""
LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 1800, 3600)
"""Buckets for handlers and waiting times: from five milliseconds to an hour."""


class MetricKind(StrEnum):
    """The type of a metric."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class LabelMeaning(NamedTuple):
    """A value of a label, with its meaning."""

    name: str
    meaning: str


def meaning(**words: str) -> tuple[LabelMeaning, ...]:
    """All values of a label."""
    return tuple(LabelMeaning(*word) for word in words.items())


@dataclass(frozen=True, slots=True)
class Label:
    """A label of metrics. Its values are never consumers, messages or error texts, whose number is unlimited."""

    name: str
    help: str
    values: tuple[LabelMeaning, ...] = ()
    """All values; empty if a spec or Redis defines them."""

    def __post_init__(self) -> None:
        if not LABEL.fullmatch(self.name):
            raise ValueError(f"a label cannot be called `{self.name}`")

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the values."""
        return tuple(value.name for value in self.values)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric, with its help text and labels."""

    name: str
    kind: MetricKind
    help: str
    roles: frozenset[Role]
    labels: tuple[Label, ...]
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram, in seconds."""
    measured: bool = False
    """Whether it is measured in Redis. It is NaN until the first measurement; other metrics start at 0."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"a metric cannot be called `{self.name}`")
        if (self.kind is MetricKind.COUNTER) != self.name.endswith("_total"):
            raise ValueError(f"`{self.name}`: only counters end in `_total`")
        if (self.kind is MetricKind.HISTOGRAM) != bool(self.buckets):
            raise ValueError(f"`{self.name}`: only histograms have buckets")
        if any(low >= high for low, high in pairwise(self.buckets)):
            raise ValueError(f"`{self.name}`: buckets must increase")


@dataclass(frozen=True, slots=True)
class MetricNames:
    """The prefix of a kind's metrics, and the label that all of them have."""

    prefix: str
    label: Label

    def counter(self, name: str, help_: str, roles: frozenset[Role], *labels: Label) -> Metric:
        """A metric that only grows."""
        return Metric(f"{self.prefix}_{name}_total", MetricKind.COUNTER, help_, roles, (self.label, *labels))

    def gauge(self, name: str, help_: str, roles: frozenset[Role], *labels: Label) -> Metric:
        """A metric that goes up and down."""
        return Metric(f"{self.prefix}_{name}", MetricKind.GAUGE, help_, roles, (self.label, *labels))

    def measured(self, name: str, help_: str, roles: frozenset[Role], *labels: Label) -> Metric:
        """A gauge that is measured in Redis."""
        return Metric(f"{self.prefix}_{name}", MetricKind.GAUGE, help_, roles, (self.label, *labels), measured=True)

    def histogram(
        self, name: str, help_: str, roles: frozenset[Role], buckets: tuple[float, ...], *labels: Label
    ) -> Metric:
        """A histogram of durations."""
        kind = MetricKind.HISTOGRAM
        return Metric(f"{self.prefix}_{name}_seconds", kind, help_, roles, (self.label, *labels), buckets)


@dataclass(frozen=True, slots=True)
class ProcessMetrics:
    """The metrics of every process: its version, and its calls to Redis."""

    info: Metric
    redis_seconds: Metric
    redis_errors: Metric
    redis_connections: Metric
    redis_connects: Metric

    @classmethod
    def of(cls, names: MetricNames, roles: frozenset[Role], **descriptions: str) -> ProcessMetrics:
        """The metrics with these names; `descriptions` has a text for each role."""
        return cls(
            names.gauge(
                "info",
                "Always 1; its labels describe the process.",
                roles,
                Label("role", "role of the process", meaning(**descriptions)),
                Label("version", "version of Penstock"),
                Label("digest", "digest of the resolved spec"),
            ),
            names.histogram("redis", "Duration of calls to Redis, without the wait of blocking reads.", roles, QUICK),
            names.counter(
                "redis_errors",
                "Failed calls to Redis.",
                roles,
                Label(
                    "kind",
                    "how the call failed",
                    meaning(
                        absent="not sent, because there was no connection",
                        unanswered="no answer, so Redis may have executed it",
                        refused="Redis answered with an error",
                    ),
                ),
            ),
            names.gauge("redis_connections", "Open connections to Redis.", roles),
            names.counter("redis_connects", "How often a connection to Redis was opened.", roles),
        )


@dataclass(frozen=True, slots=True)
class Topic:
    """Metrics about one topic."""

    title: str
    description: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Contract:
    """All metrics of the processes of a kind."""

    description: str
    """One line."""
    shared: Label
    """The label that all its metrics have."""
    topics: tuple[Topic, ...]

    def metrics(self) -> dict[str, Metric]:
        """All metrics by name."""
        return {metric.name: metric for topic in self.topics for metric in topic.metrics}
