"""Numbers that a worker can afford to count with.

A counter of `prometheus_client` takes a lock for each addition; these are a slot of an object. Additions come from the
thread that runs the loop, and are read by the one that serves `/metrics`. That is right without a lock: each value is
one number that is replaced at once, and a reader sees it before or after. Several writers are right as well where there
is the interpreter's lock: it is handed over at calls and at jumps back only, and between reading a number and putting
its successor in its place there is neither. (On an interpreter without it, additions from two threads at once could
count as one. Nothing else could happen.) What belongs together, a histogram's buckets and their sum, may differ for a
reader by the observation that is being made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate
from math import inf, isinf
from typing import NamedTuple


class Sample(NamedTuple):
    """One line of a page: what is added to the metric's name and labels, and the value."""

    suffix: str
    value: float
    le: str = ""


class Counter:
    """What only grows."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float = 0

    def add(self, count: float = 1) -> None:
        """So many more."""
        self.value += count

    def samples(self) -> Iterator[Sample]:
        """As it is shown."""
        yield Sample("_total", self.value)


class Gauge:
    """What goes up and down; or what is asked for when somebody looks, which costs nothing until then.

    It may be both: a worker is asked for its connections, and a producer in the same process adds its own.
    """

    __slots__ = ("_read", "_value")

    def __init__(self, value: float = 0) -> None:
        self._value: float = value
        self._read: Callable[[], float] | None = None

    def set(self, value: float) -> None:
        """It is so much now."""
        self._value = value

    def add(self, count: float = 1) -> None:
        """So many more, or fewer."""
        self._value += count

    def follow(self, read: Callable[[], float]) -> None:
        """From now on ask, in the thread of whoever looks; so `read` only looks at what can be seen at once."""
        self._read = read

    def samples(self) -> Iterator[Sample]:
        """As it is shown."""
        yield Sample("", self._value if self._read is None else self._value + self._read())


class Histogram:
    """How often something took how long."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float, count: int = 1) -> None:
        """So often more, so long. Two machines' clocks can make a time negative, and a sum may only grow."""
        if not value >= 0:
            value = 0.0
        self._counts[bisect_left(self._bounds, value)] += count
        self._sum += value * count

    def samples(self) -> Iterator[Sample]:
        """As it is shown: for each bound how many were no longer, then the sum, then how many there were."""
        counts = list(accumulate(tuple(self._counts)))
        for bound, count in zip((*self._bounds, inf), counts, strict=True):
            yield Sample("_bucket", count, "+Inf" if isinf(bound) else str(float(bound)))
        yield Sample("_sum", self._sum)
        yield Sample("_count", counts[-1])
