"""When a cron expression is due, in seconds since the epoch. Pure: the time is handed in.

cronsim reads expressions as Debian's cron does. Where a clock is put forward, a run at a fixed hour that it skips comes
right after the gap; where it is put back, such a run comes once, in the first of the two hours. Expressions with a
minute or an hour that starts with `*` follow the clock as it goes: nothing in a gap, and the doubled hour twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

HOUR = 3600


def times_after(expression: str, zone: str, after: float) -> Iterator[int]:
    """Each time at which it is due after this one; none where it never is (the 30th of February)."""
    here = datetime.fromtimestamp(after, UTC).astimezone(ZoneInfo(zone))
    last = after
    try:
        every = CronSim(expression, here)
    except CronSimError:  # it can be read, for a spec holds it, and so it is a day that no month has
        return
    for one in every:
        due = int(one.timestamp())
        if (
            due > last
        ):  # of two that a gap brings together, and of a doubled hour, cronsim tells what was before as well
            yield due
            last = due


def next_after(expression: str, zone: str, after: float) -> int | None:
    """The next time at which it is due."""
    return next(times_after(expression, zone, after), None)


def latest(expression: str, zone: str, after: float, until: float, most: int) -> tuple[int, ...]:
    """The last of the times after one and not after another, in their order: what was missed while nobody looked."""
    back = HOUR
    while True:
        start = max(after, until - back)
        found = tuple(takewhile(lambda due: due <= until, times_after(expression, zone, start)))
        if len(found) >= most or start <= after:
            return found[-most:]
        back *= 8
