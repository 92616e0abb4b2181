"""How long messages take: all the same, spread, or as they were measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Protocol

BEYOND = 1.6448536269514722
"""Standard deviations above the middle of a normal distribution, beyond which lies one in twenty."""


class Handling(Protocol):
    """Seconds that one message takes."""

    def draw(self, random: Random) -> float:
        """For one message."""

    @property
    def mean(self) -> float:
        """On average over many."""


@dataclass(frozen=True, slots=True)
class Same:
    """All take as long."""

    seconds: float

    def draw(self, random: Random) -> float:
        """For one message."""
        del random
        return self.seconds

    @property
    def mean(self) -> float:
        """On average over many."""
        return self.seconds


@dataclass(frozen=True, slots=True)
class Spread:
    """Half take less than `median`, one in twenty more than `p95`: log-normal, as the times of most services are."""

    median: float
    p95: float

    def draw(self, random: Random) -> float:
        """For one message."""
        return self.median * math.exp(random.gauss(0, self._sigma))

    @property
    def mean(self) -> float:
        """On average over many."""
        return self.median * math.exp(self._sigma**2 / 2)

    @property
    def _sigma(self) -> float:
        return math.log(self.p95 / self.median) / BEYOND


@dataclass(frozen=True, slots=True)
class Sample:
    """As long as one of these, each as likely."""

    seconds: tuple[float, ...]

    def draw(self, random: Random) -> float:
        """For one message."""
        return random.choice(self.seconds)

    @property
    def mean(self) -> float:
        """On average over many."""
        return math.fsum(self.seconds) / len(self.seconds)
