"""Recorded traffic: converts times, counts or rates to messages per second."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from penstock_scaling.traffic.patterns import whole_messages

MAX_SECONDS = 31 * 86_400
MAX_MESSAGES = 1_000_000_000


class TraceError(ValueError):
    """Invalid recorded traffic; `place` is the index of the sample."""

    def __init__(self, says: str, place: int) -> None:
        super().__init__(says)
        self.says = says
        self.place = place


@dataclass(frozen=True, slots=True)
class Trace:
    """Recorded messages in each second."""

    counts: tuple[int, ...]

    @property
    def lasts(self) -> int:
        """Seconds."""
        return len(self.counts)

    def arrivals(self, random: Random) -> Iterator[int]:
        """The recorded numbers, without randomness."""
        del random
        return iter(self.counts)


def of_times(times: Sequence[float]) -> Trace:
    """One message at each time, in seconds. The times may be unsorted, as several processes may have written them."""
    _refuse_invalid(times, "time")
    first = math.floor(min(times))
    _refuse_length(max(times) - first, len(times) - 1)
    counts = [0] * (math.floor(max(times)) - first + 1)
    for time in times:
        counts[math.floor(time) - first] += 1
    return Trace(tuple(counts))


def of_counts(times: Sequence[float], counts: Sequence[float]) -> Trace:
    """A number of messages from each time to the next, evenly; the last interval is as long as the previous one."""
    lengths = _lengths(times)
    return _spread(lengths, [count / length for count, length in zip(_checked_amounts(counts), lengths, strict=True)])


def of_rates(times: Sequence[float], rates: Sequence[float]) -> Trace:
    """Messages per second from each time to the next; the last interval is as long as the previous one."""
    return _spread(_lengths(times), _checked_amounts(rates))


def _lengths(times: Sequence[float]) -> list[float]:
    _refuse_invalid(times, "time")
    lengths = []
    for place, (before, after) in enumerate(pairwise(times), 1):
        if after <= before:
            raise TraceError("its time is not after the previous one", place)
        lengths.append(after - before)
    lengths.append(lengths[-1] if lengths else 1.0)
    _refuse_length(sum(lengths), len(times) - 1)
    return lengths


def _spread(lengths: Sequence[float], rates: Sequence[float]) -> Trace:
    """Intervals may start and end within a second."""
    ends, end = [], 0.0
    for length in lengths:
        end += length
        ends.append(end)
    seconds = max(math.ceil(end - 1e-6), 1)  # float sums are not exact
    means = [0.0] * seconds
    start = 0.0
    for place, (end, rate) in enumerate(zip(ends, rates, strict=True)):
        if rate * (end - start) > MAX_MESSAGES:
            raise TraceError(f"it exceeds {MAX_MESSAGES:,} messages", place)
        for second in range(math.floor(start), min(math.ceil(end), seconds)):
            means[second] += rate * max(min(end, second + 1) - max(start, second), 0)
        start = end
    if sum(means) > MAX_MESSAGES:
        raise TraceError(f"the total up to here exceeds {MAX_MESSAGES:,} messages", len(rates) - 1)
    return Trace(tuple(whole_messages(iter(means))))


def _checked_amounts(amounts: Sequence[float]) -> Sequence[float]:
    _refuse_invalid(amounts, "count")
    for place, amount in enumerate(amounts):
        if amount < 0:
            raise TraceError(f"{amount:g} is negative", place)
    return amounts


def _refuse_invalid(numbers: Sequence[float], name: str) -> None:
    if not numbers:
        raise TraceError("it is empty", 0)
    for place, number in enumerate(numbers):
        if not math.isfinite(number):
            raise TraceError(f"its {name} is not a finite number", place)


def _refuse_length(seconds: float, place: int) -> None:
    if seconds > MAX_SECONDS:
        raise TraceError(f"it lasts more than {MAX_SECONDS // 86_400} days", place)
