"""Counters, gauges and histograms that are cheap enough for the hot path.

A counter of `prometheus_client` takes a lock for each addition; these only add to a slot. The event loop's thread
writes, and the thread that serves `/metrics` reads. That needs no lock: each value is one number, replaced at once.
Several writers are safe with the interpreter's lock, which changes hands only at calls and backward jumps; there is
neither between reading a number and storing its successor. (Without that lock, two concurrent additions could count as
one; nothing worse.) A reader may see a histogram's buckets and sum differ by the observation in progress.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from math import inf, isinf
from typing import NamedTuple


class Sample(NamedTuple):
    """One line of a page: the suffix of the metric's name, the value, and the bucket's bound."""

    suffix: str
    value: float
    le: str = ""


class Counter:
    """A value that only grows."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float = 0

    def add(self, count: float = 1) -> None:
        self.value += count

    def samples(self) -> Iterator[Sample]:
        """The lines of the page."""
        yield Sample("_total", self.value)


class Gauge:
    """A value that goes up and down, or is read when a scrape asks for it.

    It may be both: connections of a worker are read, and a producer in the same process adds its own.
    """

    __slots__ = ("_read", "_value")

    def __init__(self, value: float = 0) -> None:
        self._value: float = value
        self._read: Callable[[], float] | None = None

    def set(self, value: float) -> None:
        self._value = value

    def add(self, count: float = 1) -> None:
        self._value += count

    def follow(self, read: Callable[[], float]) -> None:
        """Read the value at each scrape, in the scraping thread. `read` must be safe there."""
        self._read = read

    def samples(self) -> Iterator[Sample]:
        """The lines of the page."""
        yield Sample("", self._value if self._read is None else self._value + self._read())


class Histogram:
    """Durations, counted in buckets."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float, count: int = 1) -> None:
        """Count a duration. Negative ones, which clocks of two machines can give, count as 0: a sum may only grow."""
        if not value >= 0:
            value = 0.0
        self._counts[bisect_left(self._bounds, value)] += count
        self._sum += value * count

    def samples(self) -> Iterator[Sample]:
        """The lines of the page: cumulative buckets, the sum, and the count."""
        counts = list(accumulate(tuple(self._counts)))
        for bound, count in zip((*self._bounds, inf), counts, strict=True):
            yield Sample("_bucket", count, "+Inf" if isinf(bound) else str(float(bound)))
        yield Sample("_sum", self._sum)
        yield Sample("_count", counts[-1])
