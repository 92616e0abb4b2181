"""Spans of time, moments and counts as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

UNITS = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000))
EXACT = 10_000
"""Milliseconds below which tenths of a second are shown."""


def span(milliseconds: float) -> str:
    """A span in its two largest units, such as `3m12s` or `2d4h`; below ten seconds with a tenth, such as `2.5s`."""
    if milliseconds < EXACT:
        return f"{max(milliseconds, 0) / 1000:.1f}s"
    for position, (unit, size) in enumerate(UNITS):
        if milliseconds >= size:
            units, rest = divmod(int(milliseconds), size)
            if position + 1 == len(UNITS):
                return f"{units}{unit}"
            smaller, of = UNITS[position + 1]
            return f"{units}{unit}{rest // of}{smaller}" if rest // of else f"{units}{unit}"
    raise AssertionError(milliseconds)  # ten seconds are at least a second


def latency(milliseconds: float) -> str:
    """A short span in milliseconds, such as `840ms`; from a second on like `span`."""
    return f"{milliseconds:.0f}ms" if milliseconds < 1000 else span(milliseconds)  # noqa: PLR2004 - a second


def moment(milliseconds: int) -> str:
    """A time since 1970 in UTC, to the second; as RFC 3339 writes it."""
    try:
        when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    except OverflowError:  # an id that a sender chose
        return f"{milliseconds} ms after 1970"
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def count(number: float | None) -> str:
    """A number that stays narrow: `950`, `12.3k`, `1.05M`; `-` if it is unknown."""
    if number is None:
        return "-"
    for size, unit in ((10**9, "G"), (10**6, "M"), (10_000, "k")):
        if number >= size:
            value = number / (1000 if unit == "k" else size)
            digits = 2 if value < 10 else 1 if value < 100 else 0  # noqa: PLR2004 - three significant digits
            return f"{value:.{digits}f}{unit}"
    return f"{number:.0f}"


def rate(number: float | None) -> str:
    """A rate per second; below ten with a tenth."""
    if number is None or not 0 < number < 10:  # noqa: PLR2004 - tenths are useful below this
        return count(number)
    return f"{number:.1f}"


def many(number: int, what: str) -> str:
    """`1 dead letter`, `2 dead letters`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
