"""When a message is due: now, in a while, or at a time. Redis's clock counts."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from penstock_spec.values.quantities import Duration

Span: TypeAlias = float | str | timedelta
"""Seconds, a text such as `30s`, or a timedelta."""

NOW = "0"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def due_of(delay: Span | None, at: datetime | None) -> str:
    """As `send.lua` takes it: milliseconds from now, or `@` and milliseconds since 1970.

    A time in the past means now. Raises ValueError for what is no time.
    """
    if at is not None:
        if delay is not None:
            raise ValueError("`delay` and `at` both say when the message is due; give one of them")
        if at.utcoffset() is None:
            raise ValueError("`at` has no time zone, so nobody knows when it is; `datetime.now(UTC)` has one")
        return f"@{-((EPOCH - at) // MILLISECOND)}"
    if delay is None:
        return NOW
    amount = milliseconds(delay)
    if not 0 <= amount <= Duration.LONGEST:
        raise ValueError(f"`delay` is between 0 and ten years, and not {delay}")
    return str(math.ceil(round(amount, 6)))  # 1.1 seconds are 1100.0000000000002 milliseconds


def milliseconds(span: Span) -> float:
    """Raises ValueError for a text that is none."""
    match span:
        case str():
            return Duration.validate(span).amount
        case timedelta():
            return span / MILLISECOND
        case _:
            return span * 1000
