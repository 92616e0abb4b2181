"""How long messages take, as shares of them that take so many seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import NormalDist

POINTS = 16
"""Values that stand for a distribution: each for an equal share of the messages."""


@dataclass(frozen=True)
class Handling:
    """Seconds, and the share of the messages that take so long. The shares sum to one."""

    points: tuple[tuple[float, float], ...]

    @classmethod
    def fixed(cls, seconds: float) -> Handling:
        """All take the same."""
        return cls(((seconds, 1.0),))

    @classmethod
    def sample(cls, seconds: Sequence[float]) -> Handling:
        """As they were measured: the means of equal shares of what was, so that the mean of all is kept."""
        ordered, count = sorted(seconds), len(seconds)
        shares = min(POINTS, count)
        cuts = [round(index * count / shares) for index in range(shares + 1)]
        parts = [ordered[low:high] for low, high in pairwise(cuts)]
        return cls(tuple((math.fsum(part) / len(part), len(part) / count) for part in parts))

    @classmethod
    def spread(cls, median: float, p99: float) -> Handling:
        """Log-normal, as work often is: half take no longer than the median, one of a hundred longer than the p99."""
        sigma = math.log(p99 / median) / NormalDist().inv_cdf(0.99)
        # More values than points, whose means then hold the tail as well.
        fine = 64 * POINTS
        curve = NormalDist(math.log(median), sigma) if sigma else None
        return cls.sample([math.exp(curve.inv_cdf((i + 0.5) / fine)) if curve else median for i in range(fine)])

    @property
    def mean(self) -> float:
        """Seconds."""
        return math.fsum(seconds * share for seconds, share in self.points)

    @cached_property
    def ticks(self) -> tuple[tuple[int, float], ...]:
        """The same in whole ticks, and the share that takes so many or fewer.

        A time with a fraction becomes two: of 1.5 seconds, half take one tick and half take two. So the mean stays, and
        with it what a pod can do. Of 0.05 seconds, one in twenty takes a tick and the others take none.
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
        """The share that holds a slot beyond the tick in which it starts."""
        first, share = self.ticks[0]
        return 1.0 - share if first == 0 else 1.0
