"""What one role of a pipeline counts: the contract's names, each with the values that this role may set.

    metrics = Metrics.of("worker", pipeline="media-cluster", board=board)
    done = metrics.counter(working.DONE)          # once, at the start
    done.add()                                    # a message, as cheap as an addition

A metric that is not in the contract, is told by others, or is of another kind, and a label's value that is not listed
there, are refused when they are asked for, not when they are needed. All children whose labels are known are there from
the start, at 0, so that an alert sees the first step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from penstock.observe.board import Board, Child
from penstock.observe.values import Counter, Gauge, Histogram
from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds import kinds
from penstock_spec.kinds.pipeline import Pipeline
from penstock_spec.metrics import Metric, Role

METRICS = {name: metric for kind in kinds().values() for name, metric in kind.contract.metrics().items()}
"""Of every kind: no two have one of the same name."""


class NotInContractError(LookupError):
    """Somebody asked for what the contract does not have for this role."""


class Metrics:
    """The numbers of one role of one pipeline."""

    def __init__(self, role: Role, pipeline: str, board: Board) -> None:
        self.role = role
        self.pipeline = pipeline
        self._board = board
        self._measured: set[Gauge] = set()

    @classmethod
    def of(
        cls, role: Role, *, pipeline: str, board: Board, given: Mapping[str, Sequence[str]] | None = None
    ) -> Metrics:
        """All that this role tells; `given` has the values, by label, that only a spec knows."""
        made = cls(role, pipeline, board)
        for metric in made.contract():
            board.declare(metric)
            known = [label.words or (given or {}).get(label.name, ()) for label in metric.labels[1:]]
            for values in product(*known):
                made._child(metric, values)
        return made

    @classmethod
    def of_spec(cls, role: Role, spec: Pipeline, board: Board) -> Metrics:
        """The same, with the values that the spec knows: its classes of failures, and its group."""
        given = {"class": [*spec.retries.classes, NO_CLASS], "group": [spec.stream.group]}
        return cls.of(role, pipeline=spec.name, board=board, given=given)

    def contract(self) -> Iterator[Metric]:
        """The metrics that this role tells."""
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
        """What was asked of Redis is not known any more: another janitor leads, and two would be counted twice."""
        for gauge in self._measured:
            gauge.set(math.nan)

    def _child(self, metric: Metric, values: tuple[str, ...]) -> Child:
        _check(metric, self.role, values)
        child = self._board.child(metric, (self.pipeline, *values))
        if metric.measured and isinstance(child, Gauge):
            self._measured.add(child)
        return child


def _check(metric: Metric, role: Role, values: tuple[str, ...]) -> None:
    if METRICS.get(metric.name) != metric:
        raise NotInContractError(f"`{metric.name}` is not in the contract")
    if role not in metric.roles:
        raise NotInContractError(f"`{metric.name}` is told by {' and '.join(sorted(metric.roles))}, not by a {role}")
    labels = metric.labels[1:]
    if len(values) != len(labels):
        wanted = " and ".join(f"`{label.name}`" for label in labels) or "no label"
        raise NotInContractError(
            f"`{metric.name}` has {wanted} beside `{metric.labels[0].name}`, so {len(values)} values do not fit"
        )
    for label, value in zip(labels, values, strict=True):
        if label.words and value not in label.words:
            raise NotInContractError(f"`{metric.name}` knows no {label.name} `{value}`")
