"""Waits that grow with each failure, for both kinds of specs."""

from __future__ import annotations

from random import Random


def growing(first: int, factor: float, limit: int, step: int) -> float:
    """The wait after the failure number `step`, which starts at 1, in the unit of `first`."""
    try:
        return min(first * float(factor) ** (step - 1), limit)
    except OverflowError:
        return limit if first else 0


def jittered(wait: float, share: float, rng: Random) -> float:
    """Change a wait at random by up to this share."""
    return wait * (1 + share * rng.uniform(-1, 1))
