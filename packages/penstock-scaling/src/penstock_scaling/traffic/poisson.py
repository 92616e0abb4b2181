"""How many messages come in a second, where each comes by itself."""

from __future__ import annotations

import math
from random import Random

SMALL = 30.0
"""A mean from which on a normal distribution is near enough."""


def poisson(mean: float, random: Random) -> int:
    """A number drawn from the Poisson distribution with this mean."""
    if mean <= 0:
        return 0
    if mean >= SMALL:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    # Waits between arrivals are exponential; their product falls below this when a second is over.
    over = math.exp(-mean)
    count, product = 0, random.random()
    while product > over:
        count += 1
        product *= random.random()
    return count
