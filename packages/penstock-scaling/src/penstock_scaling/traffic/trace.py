"""Traffic that was recorded: from times, counts or rates to messages in each second."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from penstock_scaling.traffic.patterns import whole

LONGEST = 31 * 86_400
"""Seconds of a trace at the most."""
MOST = 1_000_000_000
"""Messages of a trace at the most."""


class TraceError(ValueError):
    """What was recorded is no traffic; `place` counts samples from 0."""

    def __init__(self, says: str, place: int) -> None:
        """Tell what is wrong, and where."""
        super().__init__(says)
        self.says = says
        self.place = place


@dataclass(frozen=True, slots=True)
class Trace:
    """Messages in each second, as they were recorded."""

    counts: tuple[int, ...]

    @property
    def lasts(self) -> int:
        """Seconds."""
        return len(self.counts)

    def arrivals(self, random: Random) -> Iterator[int]:
        """The same each time: nothing is left to chance."""
        del random
        return iter(self.counts)


def of_times(times: Sequence[float]) -> Trace:
    """One message at each of these times, in seconds, in any order: what was written by several may not be sorted."""
    _refuse_nonsense(times, "time")
    first = math.floor(min(times))
    _refuse_length(max(times) - first, len(times) - 1)
    counts = [0] * (math.floor(max(times)) - first + 1)
    for time in times:
        counts[math.floor(time) - first] += 1
    return Trace(tuple(counts))


def of_counts(times: Sequence[float], counts: Sequence[float]) -> Trace:
    """So many messages from each time to the next, evenly; the last lasts as long as the one before."""
    lengths = _lengths(times)
    return _spread(lengths, [count / length for count, length in zip(_amounts(counts), lengths, strict=True)])


def of_rates(times: Sequence[float], rates: Sequence[float]) -> Trace:
    """So many messages a second from each time to the next; the last lasts as long as the one before."""
    return _spread(_lengths(times), _amounts(rates))


def _lengths(times: Sequence[float]) -> list[float]:
    _refuse_nonsense(times, "time")
    lengths = []
    for place, (before, after) in enumerate(pairwise(times), 1):
        if after <= before:
            raise TraceError("its time is not after the one before", place)
        lengths.append(after - before)
    lengths.append(lengths[-1] if lengths else 1.0)
    _refuse_length(sum(lengths), len(times) - 1)
    return lengths


def _spread(lengths: Sequence[float], rates: Sequence[float]) -> Trace:
    """A stretch may begin and end within a second."""
    ends, end = [], 0.0
    for length in lengths:
        end += length
        ends.append(end)
    seconds = max(math.ceil(end - 1e-6), 1)  # times with fractions do not sum up to whole seconds
    means = [0.0] * seconds
    start = 0.0
    for place, (end, rate) in enumerate(zip(ends, rates, strict=True)):
        if rate * (end - start) > MOST:
            raise TraceError(f"it makes more than {MOST:,} messages", place)
        for second in range(math.floor(start), min(math.ceil(end), seconds)):
            means[second] += rate * max(min(end, second + 1) - max(start, second), 0)
        start = end
    if sum(means) > MOST:
        raise TraceError(f"up to it there are more than {MOST:,} messages", len(rates) - 1)
    return Trace(tuple(whole(iter(means))))


def _amounts(amounts: Sequence[float]) -> Sequence[float]:
    _refuse_nonsense(amounts, "count")
    for place, amount in enumerate(amounts):
        if amount < 0:
            raise TraceError(f"{amount:g} is below nothing", place)
    return amounts


def _refuse_nonsense(numbers: Sequence[float], what: str) -> None:
    if not numbers:
        raise TraceError("there is nothing in it", 0)
    for place, number in enumerate(numbers):
        if not math.isfinite(number):
            raise TraceError(f"its {what} is not a finite number", place)


def _refuse_length(seconds: float, place: int) -> None:
    if seconds > LONGEST:
        raise TraceError(f"it goes on for more than {LONGEST // 86_400} days", place)
