"""Traffic patterns.

steady   the rate, evenly
poisson  the rate, with random arrivals
day      from a tenth of the rate at midnight to the rate at noon and back, in 24 hours or less
burst    the rate at once, falling to zero
outage   the rate for a third; nothing for a third; ten times the rate until the rest has caught up, and the rate again

All patterns but `steady` are random around their shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

from penstock_scaling.traffic.poisson import poisson

PatternShape = Literal["steady", "poisson", "day", "burst", "outage"]

DAY = 86_400
NIGHT = 0.1
"""The share of the rate at the quietest time of a day."""
FLOOD = 10
"""The multiple of the rate at which producers catch up after an outage."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A shape with its rate and duration."""

    shape: PatternShape
    rate: float
    """Messages per second; at the peak, if the shape has one."""
    lasts: int
    """Seconds."""

    def arrivals(self, random: Random) -> Iterator[int]:
        """Messages in each second."""
        means = (self.rate * share for share in _shares(self.shape, self.lasts))
        if self.shape == "steady":
            return whole_messages(means)
        return (poisson(mean, random) for mean in means)


def whole_messages(means: Iterator[float]) -> Iterator[int]:
    """Round to whole messages without losing or advancing any."""
    came = 0
    due = 0.0
    for mean in means:
        due += mean
        # Float sums can be slightly too small, which would delay a message by a second.
        now = math.floor(due + 1e-9)
        yield now - came
        came = now


def _shares(shape: PatternShape, lasts: int) -> Iterator[float]:
    """The share of the rate in each second."""
    for second in range(lasts):
        at = second + 0.5  # the middle of the second
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
    """`at` goes from 0 to 1. The messages of the outage are added to the normal rate."""
    if at < 1 / 3:
        return 1.0
    if at < 2 / 3:
        return 0.0
    caught_up = 2 / 3 + 1 / 3 / (FLOOD - 1)
    return FLOOD if at < caught_up else 1.0
