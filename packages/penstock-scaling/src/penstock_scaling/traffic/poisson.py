"""Random arrivals."""

from __future__ import annotations

import math
from random import Random

SMALL = 30.0
"""From this mean on, a normal distribution is close enough."""


def poisson(mean: float, random: Random) -> int:
    """A number drawn from the Poisson distribution with this mean."""
    if mean <= 0:
        return 0
    if mean >= SMALL:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    # Intervals between arrivals are exponential; their product falls below this at the end of the second.
    over = math.exp(-mean)
    count, product = 0, random.random()
    while product > over:
        count += 1
        product *= random.random()
    return count
