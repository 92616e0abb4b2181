"""The metrics of one role for one pipeline, checked against the metric contract.

    metrics = Metrics.of("worker", pipeline="media-cluster", collector=collector)
    done = metrics.counter(working.DONE)          # once, at the start
    done.add()                                    # per message, as cheap as an addition

Creating a metric fails if it is not in the contract, belongs to another role, has another kind, or gets a label value
that the contract does not list. Metrics whose label values are known start at 0, so that an alert sees the first
increase.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from penstock.observe.collector import Child, Collector
from penstock.observe.values import Counter, Gauge, Histogram
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline import Pipeline
from penstock_spec.metrics import Metric, Role

METRICS = {name: metric for kind in kinds().values() for name, metric in kind.contract.metrics().items()}
"""The metrics of all kinds; no two have the same name."""


class NotInContractError(LookupError):
    """The contract does not have this metric for this role."""


class Metrics:
    """The metrics of one role for one pipeline."""

    def __init__(self, role: Role, pipeline: str, collector: Collector) -> None:
        self.role = role
        self.pipeline = pipeline
        self._collector = collector
        self._measured: set[Gauge] = set()

    @classmethod
    def of(
        cls, role: Role, *, pipeline: str, collector: Collector, given: Mapping[str, Sequence[str]] | None = None
    ) -> Metrics:
        """Declare all metrics of this role; `given` has the label values that come from a spec, by label."""
        metrics = cls(role, pipeline, collector)
        for metric in metrics.contract():
            collector.declare(metric)
            known = [label.words or (given or {}).get(label.name, ()) for label in metric.labels[1:]]
            for values in product(*known):
                metrics._child(metric, values)
        return metrics

    @classmethod
    def of_spec(cls, role: Role, spec: Pipeline, collector: Collector) -> Metrics:
        """As `of`, with the label values from a spec: its failure classes and its group."""
        given = {"class": [*spec.retries.classes, NO_CLASS], "group": [spec.stream.group]}
        return cls.of(role, pipeline=spec.name, collector=collector, given=given)

    def contract(self) -> Iterator[Metric]:
        """The metrics that this role exports."""
        return (metric for metric in METRICS.values() if self.role in metric.roles)

    def counter(self, metric: Metric, *values: str) -> Counter:
        """The counter with these values of the labels that come after `pipeline`."""
        child = self._child(metric, values)
        if not isinstance(child, Counter):
            raise NotInContractError(f"`{metric.name}` is a {metric.kind}, not a counter")
        return child

    def gauge(self, metric: Metric, *values: str) -> Gauge:
        """The gauge with these values."""
        child = self._child(metric, values)
        if not isinstance(child, Gauge):
            raise NotInContractError(f"`{metric.name}` is a {metric.kind}, not a gauge")
        return child

    def histogram(self, metric: Metric, *values: str) -> Histogram:
        """The histogram with these values."""
        child = self._child(metric, values)
        if not isinstance(child, Histogram):
            raise NotInContractError(f"`{metric.name}` is a {metric.kind}, not a histogram")
        return child

    def forget_measured(self) -> None:
        """Clear measurements of Redis: another janitor leads now, and exports by two would be added up."""
        for gauge in self._measured:
            gauge.set(math.nan)

    def _child(self, metric: Metric, values: tuple[str, ...]) -> Child:
        _check(metric, self.role, values)
        child = self._collector.child(metric, (self.pipeline, *values))
        if metric.measured and isinstance(child, Gauge):
            self._measured.add(child)
        return child


def _check(metric: Metric, role: Role, values: tuple[str, ...]) -> None:
    if METRICS.get(metric.name) != metric:
        raise NotInContractError(f"`{metric.name}` is not in the contract")
    if role not in metric.roles:
        raise NotInContractError(
            f"`{metric.name}` is exported by {' and '.join(sorted(metric.roles))}, not by a {role}"
        )
    labels = metric.labels[1:]
    if len(values) != len(labels):
        wanted = " and ".join(f"`{label.name}`" for label in labels) or "no label"
        raise NotInContractError(
            f"`{metric.name}` has {wanted} besides `{metric.labels[0].name}`; values given: {len(values)}"
        )
    for label, value in zip(labels, values, strict=True):
        if label.words and value not in label.words:
            raise NotInContractError(f"`{metric.name}` has no {label.name} `{value}`")
