"""Due times of a cron expression, in seconds since the epoch. Pure functions: the current time is a parameter.

cronsim finds the local times that match; it gets them without a time zone, because it loses runs and adds others where
clocks change at midnight or by half an hour. This module turns local times into moments, like Debian's cron:

- A run at fixed hours (`30 2 * * *`) at a local time that the clock skips comes once, at the first moment after the
  gap. At a local time that occurs twice it comes the first time only.
- An expression whose minute or hour starts with `*` follows the clock: it is due whenever the local time matches. So it
  has no run in the gap, and runs in both of the repeated hours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

HOUR = 3600
ONE_VALUE = re.compile(r"\b(\d+)-\1/\d+")
"""A range of one value with a step, such as `5-5/10`: only 5. cronsim reads it as `5/10`: 5, 15 and so on."""


def times_after(expression: str, zone: str, after: float) -> Iterator[int]:
    """Each due time after this time; none if no date matches (30 February)."""
    last = after
    for due in _moments(expression, ZoneInfo(zone), after):
        if due > last:  # the skipped times of one gap are one moment; repeated times before `after` are over
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


def _moments(expression: str, zone: ZoneInfo, after: float) -> Iterator[int]:
    """The due times in order, with some at or before `after`, and with repeats."""
    minute, hour, *_ = expression.split()
    follows_clock = minute.startswith("*") or hour.startswith("*")
    again: list[int] = []  # the moments at which the clock shows a repeated local time for the second time
    for local in _local_times(expression, _start(zone, after)):
        first, second = _timestamp(local, zone, fold=0), _timestamp(local, zone, fold=1)
        if first > second:  # skipped: with the offset from before the gap it is after the gap
            if not follows_clock:
                yield _first_moment_after_gap(second, first, zone)
            continue
        while again and again[0] < first:
            yield again.pop(0)
        yield first
        if second > first and follows_clock:
            again.append(second)
    yield from again


def _local_times(expression: str, after: datetime) -> Iterator[datetime]:
    try:
        every = CronSim(ONE_VALUE.sub(r"\1", expression), after)
    except CronSimError:  # specs only contain valid expressions, so no month has this day
        return
    yield from every


def _start(zone: ZoneInfo, after: float) -> datetime:
    """The local time after which matches are searched.

    In the first of two repeated hours, the second time of the minutes that just passed is still to come.
    """
    local = datetime.fromtimestamp(after, UTC).astimezone(zone)
    naive = local.replace(tzinfo=None, fold=0)
    repeated = _timestamp(naive, zone, fold=1) - _timestamp(naive, zone, fold=0)
    return naive - timedelta(seconds=repeated) if repeated > 0 and not local.fold else naive


def _timestamp(local: datetime, zone: ZoneInfo, *, fold: int) -> int:
    return int(local.replace(tzinfo=zone, fold=fold).timestamp())


def _first_moment_after_gap(before: int, after: int, zone: ZoneInfo) -> int:
    """When the clock skips: later than `before`, at the latest `after`."""
    old = _offset(before, zone)
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(middle, zone) == old:
            before = middle
        else:
            after = middle
    return after


def _offset(moment: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(moment, zone).utcoffset()
