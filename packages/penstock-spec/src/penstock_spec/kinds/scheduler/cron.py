"""Due times of a cron expression, in seconds since the epoch. Pure functions: the current time is a parameter.

cronsim evaluates expressions like Debian's cron. When daylight saving time starts, a run at a skipped fixed hour comes
right after the gap; when it ends, such a run comes once, in the first of the two hours. Expressions whose minute or
hour starts with `*` follow the clock: no run in the gap, and runs in both of the repeated hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

HOUR = 3600


def times_after(expression: str, zone: str, after: float) -> Iterator[int]:
    """Each due time after this time; none if no date matches (30 February)."""
    start = datetime.fromtimestamp(after, UTC).astimezone(ZoneInfo(zone))
    last = after
    try:
        every = CronSim(expression, start)
    except CronSimError:  # specs only contain valid expressions, so no month has this day
        return
    for one in every:
        due = int(one.timestamp())
        if due > last:  # around clock changes cronsim also returns earlier times
            yield due
            last = due


def next_after(expression: str, zone: str, after: float) -> int | None:
    """The next due time, or None."""
    return next(times_after(expression, zone, after), None)


def latest(expression: str, zone: str, after: float, until: float, limit: int) -> tuple[int, ...]:
    """The last `limit` due times in (after, until], in order: the missed runs."""
    lookback = HOUR
    while True:
        start = max(after, until - lookback)
        due_times = tuple(takewhile(lambda due: due <= until, times_after(expression, zone, start)))
        if len(due_times) >= limit or start <= after:
            return due_times[-limit:]
        lookback *= 8
