"""Waits that grow from failure to failure, as both kinds of specs have them."""

from __future__ import annotations

from random import Random


def growing(first: int, factor: float, limit: int, step: int) -> float:
    """The wait after this many failures, the first of which is 1; in whatever unit the first one has."""
    try:
        return min(first * float(factor) ** (step - 1), limit)
    except OverflowError:
        return limit if first else 0


def jittered(wait: float, share: float, rng: Random) -> float:
    """Changed at random by up to this share."""
    return wait * (1 + share * rng.uniform(-1, 1))
