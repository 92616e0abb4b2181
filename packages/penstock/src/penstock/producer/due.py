"""When a message is due: now, after a delay, or at a time, in Redis time."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from penstock_spec.values.quantities import Duration

TimeSpan: TypeAlias = float | str | timedelta
"""Seconds, a text such as `30s`, or a timedelta."""

NOW = "0"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def due_of(delay: TimeSpan | None, at: datetime | None) -> str:
    """Return the due time as `send.lua` takes it: milliseconds from now, or `@` and milliseconds since 1970.

    A time in the past means now. Raises ValueError for an invalid time.
    """
    if at is not None:
        if delay is not None:
            raise ValueError("`delay` and `at` exclude each other; give one of them")
        if at.utcoffset() is None:
            raise ValueError("`at` has no time zone; use for example `datetime.now(UTC)`")
        return f"@{-((EPOCH - at) // MILLISECOND)}"
    if delay is None:
        return NOW
    amount = milliseconds(delay)
    if not 0 <= amount <= Duration.LONGEST:
        raise ValueError(f"`delay` must be between 0 and ten years, not {delay}")
    return str(math.ceil(round(amount, 6)))  # 1.1 seconds are 1100.0000000000002 milliseconds


def milliseconds(span: TimeSpan) -> float:
    """Return milliseconds. Raises ValueError for a text that is no duration."""
    match span:
        case str():
            return Duration.validate(span).amount
        case timedelta():
            return span / MILLISECOND
        case _:
            return span * 1000
