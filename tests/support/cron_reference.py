"""Cron by walking through time minute by minute: slow, and simple enough to be believed.

It shares nothing with the product: it only asks what the clock shows at a moment, never when the clock shows a time,
and it reads expressions itself.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

MINUTE = 60
MONTHS = {name.upper(): number for number, name in enumerate(calendar.month_abbr) if name}
SATURDAY = 5
DAYS = {"SUN": 0, "MON": 1, "TUE": 2, "WED": 3, "THU": 4, "FRI": 5, "SAT": 6}


def walk(expression: str, clock: list[tuple[int, datetime]]) -> Iterator[int]:
    """The due times after the first of these moments, each with what a clock on the wall shows.

    Fixed times: at each moment, run once for all matching times that the clock shows or skipped, if it has not shown
    them before. Expressions that start with `*`: run whenever the clock shows a matching time.
    """
    matches = matcher(expression)
    minute, hour, *_ = expression.split()
    follows_clock = minute.startswith("*") or hour.startswith("*")
    furthest = clock[0][1]
    for moment, shown in clock[1:]:
        if follows_clock:
            if matches(shown):
                yield moment
            continue
        if any(matches(one) for one in _minutes_between(furthest, shown)):
            yield moment
        furthest = max(furthest, shown)


def clock_from(zone: str, start: int, minutes: int) -> list[tuple[int, datetime]]:
    """What a clock in this zone shows at each minute from `start`."""
    place = ZoneInfo(zone)
    moments = range(start, start + (minutes + 1) * MINUTE, MINUTE)
    return [(one, datetime.fromtimestamp(one, place).replace(tzinfo=None, fold=0)) for one in moments]


def changes(zone: str, start: int, end: int) -> list[int]:
    """The minutes, in order, at which the clock does not show one minute more than before."""
    place = ZoneInfo(zone)

    def offset(moment: int) -> timedelta | None:
        return datetime.fromtimestamp(moment, UTC).astimezone(place).utcoffset()

    found: list[int] = []
    step = 3 * 86_400
    for left in range(start, end, step):
        before, after = left, left + step
        if offset(before) == offset(after):
            continue
        while after - before > MINUTE:
            middle = before + (after - before) // 2 // MINUTE * MINUTE
            before, after = (middle, after) if offset(middle) == offset(before) else (before, middle)
        found.append(after)
    return found


def _minutes_between(furthest: datetime, shown: datetime) -> Iterator[datetime]:
    one = furthest + timedelta(minutes=1)
    while one <= shown:
        yield one
        one += timedelta(minutes=1)


@cache
def matcher(expression: str) -> Callable[[datetime], bool]:
    """Whether a local time matches the expression, by the rules of cron."""
    minutes, hours, days, months, weekdays = expression.upper().split()
    minute_set, hour_set, month_set = _values(minutes, 0, 59), _values(hours, 0, 23), _values(months, 1, 12, MONTHS)
    combine = all if days.startswith("*") or weekdays.startswith("*") else any

    @cache
    def date_matches(day: date) -> bool:
        return day.month in month_set and combine((_day_matches(days, day), _weekday_matches(weekdays, day)))

    def matches(local: datetime) -> bool:
        return local.minute in minute_set and local.hour in hour_set and date_matches(local.date())

    return matches


def _day_matches(field: str, day: date) -> bool:
    last = calendar.monthrange(day.year, day.month)[1]
    working = max(one for one in range(1, last + 1) if date(day.year, day.month, one).weekday() < SATURDAY)
    special = {"L": last, "LW": working}
    return any(
        day.day == special[one] if one in special else day.day in _values(one, 1, 31) for one in field.split(",")
    )


def _weekday_matches(field: str, day: date) -> bool:
    return any(_is_weekday(part, day) for part in field.split(","))


def _is_weekday(part: str, day: date) -> bool:
    weekday, last = day.isoweekday() % 7, calendar.monthrange(day.year, day.month)[1]
    if part.endswith("L"):
        return int(part[:-1]) % 7 == weekday and day.day + 7 > last
    name, _, which = part.partition("#")
    named = {one % 7 for one in _values(name, 0, 7, DAYS)}
    return weekday in named and (not which or (day.day + 6) // 7 == int(which))


def _values(field: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        spread, _, step = part.partition("/")
        first, dash, last = spread.partition("-")
        if spread == "*":
            start, end = low, high
        else:
            start = _number(first, names)
            end = _number(last, names) if dash else high if step else start
        found |= set(range(start, end + 1, int(step or 1)))
    return found


def _number(text: str, names: dict[str, int] | None) -> int:
    return names[text] if names and text in names else int(text)
