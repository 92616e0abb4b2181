"""Random numbers between bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

from penstock_dev.sample.errors import SampleError

SPREAD = 100
"""Distance from the only bound, or from 0."""
EXACT = 1 << 20
"""Steps between two bounds without `multipleOf`."""


def number(one: dict[str, Any], random: Random, *, integer: bool) -> float:
    """A random number. Raises SampleError. An exclusive bound is one step away."""
    low, high = _bounds(one)
    step = _exact(one["multipleOf"]) if "multipleOf" in one else None
    if integer:
        # A fraction has a common multiple with 1 that is its numerator.
        step = Fraction(1) if step is None else Fraction(step.numerator)
    elif step is None:
        step = Fraction(1) if high - low >= 1 else (high - low) / EXACT or Fraction(1)
        if math.floor(high / step) <= math.ceil(low / step) + 1:
            step = (high - low) / EXACT or step
    first, last = math.ceil(low / step), math.floor(high / step)
    first += first * step == low and "exclusiveMinimum" in one and low == _exact(one["exclusiveMinimum"])
    last -= last * step == high and "exclusiveMaximum" in one and high == _exact(one["exclusiveMaximum"])
    if first > last:
        if not integer and "multipleOf" not in one and low == high:
            return float(low)
        raise SampleError("has no number between its bounds")
    value = random.randint(first, last) * step
    return int(value) if value.denominator == 1 else float(value)


def _bounds(one: dict[str, Any]) -> tuple[Fraction, Fraction]:
    lows = [_exact(one[key]) for key in ("minimum", "exclusiveMinimum") if _is_number(one.get(key))]
    highs = [_exact(one[key]) for key in ("maximum", "exclusiveMaximum") if _is_number(one.get(key))]
    spread = SPREAD * max(_exact(one.get("multipleOf", 1)), Fraction(1))
    low = max(lows) if lows else None
    high = min(highs) if highs else None
    if low is None:
        low = Fraction(0) if high is None or high > 0 else high - spread
    if high is None:
        high = low + spread
    return low, high


def _exact(value: float) -> Fraction:
    """Exactly as written: `0.1` is a tenth."""
    return Fraction(str(value))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
