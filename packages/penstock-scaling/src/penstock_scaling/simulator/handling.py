"""Handling times, as shares of messages by seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

POINTS = 16
"""Number of values that represent a distribution, each for an equal share of messages."""


@dataclass(frozen=True)
class HandlingTimes:
    """Seconds with the share of messages that take them. The shares add up to one."""

    points: tuple[tuple[float, float], ...]

    @classmethod
    def fixed(cls, seconds: float) -> HandlingTimes:
        """The same time for all messages."""
        return cls(((seconds, 1.0),))

    @classmethod
    def sample(cls, seconds: Sequence[float]) -> HandlingTimes:
        """Measured times: the means of equal shares, which keeps the total mean."""
        ordered, count = sorted(seconds), len(seconds)
        shares = min(POINTS, count)
        cuts = [round(index * count / shares) for index in range(shares + 1)]
        parts = [ordered[low:high] for low, high in pairwise(cuts)]
        return cls(tuple((math.fsum(part) / len(part), len(part) / count) for part in parts))

    @classmethod
    def spread(cls, median: float, p99: float) -> HandlingTimes:
        """A log-normal distribution with this median and p99."""
        sigma = math.log(p99 / median) / NormalDist().inv_cdf(0.99)
        # More values than points, so that the means include the tail.
        fine = 64 * POINTS
        curve = NormalDist(math.log(median), sigma) if sigma else None
        return cls.sample([math.exp(curve.inv_cdf((i + 0.5) / fine)) if curve else median for i in range(fine)])

    @property
    def mean(self) -> float:
        """Seconds."""
        return math.fsum(seconds * share for seconds, share in self.points)

    @cached_property
    def ticks(self) -> tuple[tuple[int, float], ...]:
        """The times in whole ticks, with the cumulative share of messages.

        A fractional time is split: of messages that take 1.5 seconds, half take one tick and half take two. This keeps
        the mean, and with it the throughput of a pod. Of 0.05 seconds, one in twenty takes a tick, the others none.
        """
        shares: dict[int, float] = {}
        for seconds, share in self.points:
            below = math.floor(seconds)
            above = seconds - below
            shares[below] = shares.get(below, 0.0) + share * (1 - above)
            if above:
                shares[below + 1] = shares.get(below + 1, 0.0) + share * above
        sums, reached = [], 0.0
        for ticks in sorted(shares):
            reached += shares[ticks]
            sums.append((ticks, reached))
        sums[-1] = (sums[-1][0], 1.0)
        return tuple(sums)

    @cached_property
    def load(self) -> float:
        """The share of messages that hold a slot beyond the tick in which they start."""
        first, share = self.ticks[0]
        return 1.0 - share if first == 0 else 1.0
