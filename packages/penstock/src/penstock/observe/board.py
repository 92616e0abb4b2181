"""The board: every number that a process shows, as families of one name with a child for each set of labels.

Whoever asks for a child twice gets the same one: two producers of a pipeline in one process count together, and no
name ever stands twice on the page.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakSet

from penstock.observe.values import Counter, Gauge, Histogram
from penstock_spec.metrics import Metric, MetricKind

if TYPE_CHECKING:  # it costs 30 ms and is needed when somebody looks
    import prometheus_client

Child = Counter | Gauge | Histogram


class Board:
    """A collector of `prometheus_client`, made without it."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[Metric, dict[tuple[str, ...], Child]]] = {}
        self._lock = Lock()
        self._shown: WeakSet[prometheus_client.CollectorRegistry] = WeakSet()

    def declare(self, metric: Metric) -> None:
        """The name is shown from now on, also without a child."""
        self._children(metric)

    def child(self, metric: Metric, values: tuple[str, ...]) -> Child:
        """The number with these values of the metric's labels."""
        children = self._children(metric)
        with self._lock:
            if values not in children:
                children[values] = _new(metric)
            return children[values]

    def _children(self, metric: Metric) -> dict[tuple[str, ...], Child]:
        with self._lock:
            known, children = self._families.setdefault(metric.name, (metric, {}))
        if known != metric:
            raise ValueError(f"there are two metrics called `{metric.name}`")
        return children

    def show_on(self, registry: prometheus_client.CollectorRegistry) -> None:
        """Beside all that is registered there; a second time changes nothing."""
        with self._lock:
            if registry in self._shown:
                return
            self._shown.add(registry)
        registry.register(self)

    def renew(self) -> None:
        """This process is a child: whoever may have held the lock is not here."""
        self._lock = Lock()

    def describe(self) -> Iterator[prometheus_client.Metric]:
        """Nothing: our names have a prefix of their own, and a registry need not compare them with others."""
        return iter(())

    def collect(self) -> Iterator[prometheus_client.Metric]:
        """What everything is now; in whatever thread asks."""
        import prometheus_client as client  # noqa: PLC0415 - as above
        from prometheus_client.samples import Sample  # noqa: PLC0415 - as above

        with self._lock:
            families = [(metric, list(children.items())) for metric, children in self._families.values()]
        for metric, children in families:
            family = client.Metric(metric.name.removesuffix("_total"), metric.help, metric.kind)
            names = [label.name for label in metric.labels]
            for values, child in children:
                labels = dict(zip(names, values, strict=True))
                for suffix, value, le in child.samples():
                    family.samples.append(Sample(family.name + suffix, labels | {"le": le} if le else labels, value))
            yield family


def _new(metric: Metric) -> Child:
    match metric.kind:
        case MetricKind.COUNTER:
            return Counter()
        case MetricKind.GAUGE:
            return Gauge(math.nan if metric.measured else 0)
        case MetricKind.HISTOGRAM:
            return Histogram(metric.buckets)


@cache
def process_board() -> Board:
    """That of this process, as `prometheus_client` has one registry for it; a simulation makes boards of its own."""
    return Board()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: process_board().renew())
