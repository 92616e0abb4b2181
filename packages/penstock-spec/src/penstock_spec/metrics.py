"""What a metric is: the contract between what a process exports and who asks for it.

A kind of spec lists its metrics once. The runtime makes its counters from that list, and whoever writes a query takes
the name from it, so that an alert cannot ask for what nobody tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Literal, NamedTuple

Role = Literal["worker", "janitor", "producer"]
"""Who tells a metric."""

NAME = re.compile(r"penstock(_[a-z0-9]+)+")
LABEL = re.compile(r"[a-z]+(_[a-z]+)*")


class MetricKind(StrEnum):
    """How a value moves."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Value(NamedTuple):
    """A word that a label may have, and what it means."""

    name: str
    says: str


def meaning(**words: str) -> tuple[Value, ...]:
    """All the words of a label."""
    return tuple(Value(*word) for word in words.items())


@dataclass(frozen=True, slots=True)
class Label:
    """What a metric is told apart by. No label carries a consumer, a message or an error's text: they never end."""

    name: str
    help: str
    values: tuple[Value, ...] = ()
    """All there are; none where a spec, or Redis, says them."""

    def __post_init__(self) -> None:
        if not LABEL.fullmatch(self.name):
            raise ValueError(f"a label cannot be called `{self.name}`")

    @property
    def words(self) -> tuple[str, ...]:
        """The values alone."""
        return tuple(value.name for value in self.values)


@dataclass(frozen=True, slots=True)
class Metric:
    """One name, and what it says."""

    name: str
    kind: MetricKind
    help: str
    who: frozenset[Role]
    labels: tuple[Label, ...]
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram, in seconds."""
    measured: bool = False
    """Whether it is asked of Redis: it is not known (NaN) until then, while all else begins at 0."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"a metric cannot be called `{self.name}`")
        if (self.kind is MetricKind.COUNTER) != self.name.endswith("_total"):
            raise ValueError(f"`{self.name}`: counters end in `_total`, and nothing else does")
        if (self.kind is MetricKind.HISTOGRAM) != bool(self.buckets):
            raise ValueError(f"`{self.name}`: histograms have buckets, and nothing else has")
        if any(low >= high for low, high in pairwise(self.buckets)):
            raise ValueError(f"`{self.name}`: buckets rise")


@dataclass(frozen=True, slots=True)
class Topic:
    """Metrics that are read together."""

    title: str
    says: str
    metrics: tuple[Metric, ...]
