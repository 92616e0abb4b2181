"""The collector of a process's metrics: one family per name, with a child for each set of label values.

The same labels give the same child: two producers of a pipeline in one process count together, and no name appears
twice on the page.
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

if TYPE_CHECKING:  # it costs 30 ms and is needed only for a scrape
    import prometheus_client

Child = Counter | Gauge | Histogram


class Collector:
    """Has the interface of `prometheus_client`'s collectors, but does not import it."""

    def __init__(self) -> None:
        self._families: dict[str, tuple[Metric, dict[tuple[str, ...], Child]]] = {}
        self._lock = Lock()
        self._registries: WeakSet[prometheus_client.CollectorRegistry] = WeakSet()

    def declare(self, metric: Metric) -> None:
        """Export the name, even without a child."""
        self._children(metric)

    def child(self, metric: Metric, values: tuple[str, ...]) -> Child:
        """The child with these label values."""
        children = self._children(metric)
        with self._lock:
            if values not in children:
                children[values] = _new(metric)
            return children[values]

    def _children(self, metric: Metric) -> dict[tuple[str, ...], Child]:
        with self._lock:
            known, children = self._families.setdefault(metric.name, (metric, {}))
        if known != metric:
            raise ValueError(f"two metrics are named `{metric.name}`")
        return children

    def register_with(self, registry: prometheus_client.CollectorRegistry) -> None:
        """Register with a registry, once."""
        with self._lock:
            if registry in self._registries:
                return
            self._registries.add(registry)
        registry.register(self)

    def renew_lock(self) -> None:
        """Replace the lock in a forked child: the thread that holds it may not exist here."""
        self._lock = Lock()

    def describe(self) -> Iterator[prometheus_client.Metric]:
        """Nothing: registries compare names with other collectors, and Penstock's prefix makes that unnecessary."""
        return iter(())

    def collect(self) -> Iterator[prometheus_client.Metric]:
        """Read all values, in the calling thread."""
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
def process_collector() -> Collector:
    """The collector of this process; simulations create their own."""
    return Collector()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: process_collector().renew_lock())
