"""String types of a scheduler's spec: job names, patterns, cron expressions, time zones."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError
from pydantic import BeforeValidator, WithJsonSchema

from penstock_spec.fields import nearest
from penstock_spec.model import TypeName
from penstock_spec.values.display import many
from penstock_spec.values.strings import CONTROL, printable, refuse

LONGEST_JOB = 200
"""Characters of a job's name, which is a member of the sets and is typed by people."""
LONGEST_KEY_PART = 200
"""Characters of each part of a key."""
LONGEST_PATTERN = 1000
ALL = "*"
"""Stands for all jobs instead of a name."""

ANY_DAY = datetime(2024, 1, 1)  # noqa: DTZ001 - the time zone does not affect validity
FIELDS = ("minute", "hour", "day of the month", "month", "day of the week")
NICKNAMES = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
"""Nicknames of cron, which Penstock does not support, and their expressions."""


def _job_name(value: object) -> object:
    if not isinstance(value, str):
        return value
    example = "write a name such as `aws/eu-west-1/images`"
    if not value:
        raise refuse("bad-job-name", "it is empty", example)
    if len(value) > LONGEST_JOB:
        raise refuse(
            "bad-job-name", f"it has {len(value)} characters, but at most {LONGEST_JOB} are allowed", "shorten it"
        )
    if CONTROL.search(value) or re.search(r"\s", value):
        better = re.sub(r"[\s\x00-\x1f\x7f]+", "-", value).strip("-")
        says = f"`{printable(value)}` contains a space or a control character"
        raise refuse(
            "bad-job-name", says, f"write `{printable(better)}`" if better and better.isprintable() else example
        )
    if value == ALL:
        raise refuse("bad-job-name", f"`{ALL}` stands for all jobs", example)
    return value


def _pattern(value: object) -> object:
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_PATTERN:
        raise refuse(
            "bad-pattern", f"it has {len(value)} characters, but at most {LONGEST_PATTERN} are allowed", "shorten it"
        )
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as error:
        says = f"`{printable(value)}` is not a regular expression: {error}"
        better = f".{value}" if value.startswith("*") else ""
        hint = (
            f"write `{printable(better)}`"
            if better and _is_regex(better)
            else "write a regular expression of Python's `re`"
        )
        raise refuse("bad-pattern", says, hint) from None
    return value


def _is_regex(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _cron(value: object) -> object:
    if not isinstance(value, str):
        return value
    parts = value.split()
    if value.strip().lower() in NICKNAMES:
        raise refuse(
            "bad-cron",
            f"`{value}` is a nickname that only cron supports",
            f'write `"{NICKNAMES[value.strip().lower()]}"`',
        )
    if len(parts) != len(FIELDS):
        says = f"`{printable(value)}` has {many(len(parts), 'field')}, but a cron expression has {len(FIELDS)}"
        hint = "write minute, hour, day of the month, month and day of the week, such as `*/5 * * * *`"
        if len(parts) == len(FIELDS) + 1:
            hint += "; use `every` for intervals below a minute"
        raise refuse("bad-cron", says, hint)
    for index, name in enumerate(FIELDS):
        alone = ["*"] * len(FIELDS)
        alone[index] = parts[index]
        if not _is_valid(" ".join(alone)):
            article = "an" if name == "hour" else "a"
            says = f"`{printable(parts[index])}` is not {article} {name}"
            raise refuse("bad-cron", says, f"write {_VALUES[name]}")
    return value


_VALUES = {
    "minute": "`0` to `59`, `*`, lists, ranges such as `0-29`, or steps such as `*/5`",
    "hour": "`0` to `23`, `*`, lists, ranges such as `8-18`, or steps such as `*/2`",
    "day of the month": "`1` to `31`, `*`, lists, ranges, steps, or `L` for the last",
    "month": "`1` to `12`, `JAN` to `DEC`, `*`, lists, ranges or steps",
    "day of the week": "`0` to `7` (0 and 7 are Sunday), `SUN` to `SAT`, `*`, lists, ranges or steps",
}


def _is_valid(expression: str) -> bool:
    """Whether each field is valid. An expression that never fires is valid too."""
    try:
        CronSim(expression, ANY_DAY)
    except (CronSimError, ValueError):
        return False
    return True


def _time_zone(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        ZoneInfo(value)
    except (KeyError, OSError, ValueError):  # unknown, a folder, or not a valid key
        known = available_timezones()
        close = next((one for one in known if one.lower() == value.lower()), None) or nearest(value, frozenset(known))
        cities = sorted(one for one in known if one.rpartition("/")[2].lower() == value.lower().replace(" ", "_"))
        better = cities[0] if cities else close
        hint = f"write `{better}`" if better else "write a name such as `Europe/Berlin`, or `UTC`"
        raise refuse("unknown-time-zone", f"`{printable(value)}` is not a time zone", hint) from None
    return value


def _base(value: object) -> object:
    if isinstance(value, str):
        if not value:
            raise refuse("bad-key", "it is empty", "write a name such as `waiting`")
        return _part(value)
    return value


def _part(value: object) -> object:
    """Check a part of a key. Braces would create another hash tag."""
    if isinstance(value, str):
        if "{" in value or "}" in value:
            says = f"`{printable(value)}` has braces, which are reserved for `keys.hash_tag`"
            raise refuse("bad-key", says, "remove the braces")
        if CONTROL.search(value) or " " in value:
            raise refuse("bad-key", f"`{printable(value)}` contains a space or a control character", "remove it")
        if len(value) > LONGEST_KEY_PART:
            raise refuse(
                "bad-key", f"it has {len(value)} characters, but at most {LONGEST_KEY_PART} are allowed", "shorten it"
            )
    return value


def _schema(**kind: int | str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", **kind})


JobName = Annotated[
    str, BeforeValidator(_job_name), _schema(pattern=r"^\S+$", maxLength=LONGEST_JOB), TypeName("job name")
]
Pattern = Annotated[str, BeforeValidator(_pattern), _schema(maxLength=LONGEST_PATTERN), TypeName("regular expression")]
Cron = Annotated[str, BeforeValidator(_cron), _schema(pattern=r"^\s*\S+(\s+\S+){4}\s*$"), TypeName("cron expression")]
TimeZone = Annotated[str, BeforeValidator(_time_zone), _schema(pattern="^[A-Za-z0-9_+/-]+$"), TypeName("time zone")]
Base = Annotated[
    str, BeforeValidator(_base), _schema(pattern="^[^{} ]+$", maxLength=LONGEST_KEY_PART), TypeName("part of a key")
]
Prefix = Annotated[
    str,
    BeforeValidator(_part),
    _schema(pattern="^[^{} ]*$", maxLength=LONGEST_KEY_PART),
    TypeName("part of a key, or nothing"),
]
