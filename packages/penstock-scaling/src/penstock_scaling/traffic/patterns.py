"""Traffic by its shape.

steady   the rate, as evenly as whole messages can come
poisson  the rate, each message by itself
day      from quiet at midnight to the rate at noon and back, in 24 hours; in less where it lasts less
burst    at once at the rate, then less and less until nothing comes
outage   the rate for a third; nothing for a third; then ten times the rate until all is made up for, and the rate again

All but steady traffic comes at random around its shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from penstock_scaling.traffic.poisson import poisson

Shape = Literal["steady", "poisson", "day", "burst", "outage"]

DAY = 86_400
NIGHT = 0.1
"""Of the rate, that which comes at the quietest time of a day."""
FLOOD = 10
"""Times the rate: how fast senders catch up after an outage."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A shape, how much, and how long."""

    shape: Shape
    rate: float
    """Messages a second; at the peak where the shape has one."""
    lasts: int
    """Seconds."""

    def arrivals(self, random: Random) -> Iterator[int]:
        """Messages in each second."""
        means = (self.rate * share for share in _shares(self.shape, self.lasts))
        if self.shape == "steady":
            return whole(means)
        return (poisson(mean, random) for mean in means)


def whole(means: Iterator[float]) -> Iterator[int]:
    """Whole messages for fractions of them: none is lost, and none comes early."""
    came = 0
    due = 0.0
    for mean in means:
        due += mean
        # Sums of fractions fall short by a hair, which would hold a message back for a second.
        now = math.floor(due + 1e-9)
        yield now - came
        came = now


def _shares(shape: Shape, lasts: int) -> Iterator[float]:
    """Of the rate, in each second."""
    for second in range(lasts):
        at = second + 0.5  # the middle of the second stands for all of it
        match shape:
            case "day":
                swing = (1 - math.cos(2 * math.pi * at / min(lasts, DAY))) / 2
                yield NIGHT + (1 - NIGHT) * swing
            case "burst":
                yield 1 - at / lasts
            case "outage":
                yield _outage(at / lasts)
            case _:
                yield 1.0


def _outage(at: float) -> float:
    """`at` goes from 0 to 1. What was held back for a third is sent on top of what comes anyway."""
    if at < 1 / 3:
        return 1.0
    if at < 2 / 3:
        return 0.0
    caught_up = 2 / 3 + 1 / 3 / (FLOOD - 1)
    return FLOOD if at < caught_up else 1.0
