"""A text of the length, format or pattern that is asked for; where nothing is, one that reminds of its field."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from penstock_dev.sample.errors import SampleError
from penstock_dev.sample.patterns import fitting

SHORTEST = 6
"""Digits by which two texts differ, where the length leaves room."""


def text(one: dict[str, Any], name: str, chance: Random) -> str:
    """Raises CannotMake."""
    least, most = one.get("minLength", 0), one.get("maxLength")
    if "pattern" in one:
        try:
            return fitting(one["pattern"], chance, at_least=least, at_most=most)
        except SampleError as why:
            raise SampleError(f"has a pattern of which no text could be made: {why}") from None
    if one.get("format") in FORMATS:
        return FORMATS[one["format"]](chance)
    if most is not None and most < least:
        raise SampleError(f"is to be longer than {least - 1} and shorter than {most + 1} characters")
    stem = name.removesuffix("_id") if name not in {"", "id"} else "sample"
    digits = f"{chance.getrandbits(4 * SHORTEST):0{SHORTEST}x}"
    value = f"{stem}-{digits}"
    value += "".join(chance.choice("0123456789abcdef") for _ in range(least - len(value)))
    # The end differs from one text to the next, the start may be the same in all.
    return value if most is None else value[max(len(value) - most, 0) :]


def _moment(chance: Random) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(365 * 86_400))


def _hex(chance: Random) -> str:
    return f"{chance.getrandbits(24):06x}"


FORMATS: dict[str, Callable[[Random], str]] = {
    "date-time": lambda chance: _moment(chance).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "date": lambda chance: _moment(chance).strftime("%Y-%m-%d"),
    "time": lambda chance: _moment(chance).strftime("%H:%M:%SZ"),
    "duration": lambda chance: f"PT{chance.randint(1, 3600)}S",
    "uuid": lambda chance: str(UUID(int=chance.getrandbits(128), version=4)),
    "email": lambda chance: f"{_hex(chance)}@example.com",
    "hostname": lambda chance: f"{_hex(chance)}.example.com",
    "ipv4": lambda chance: f"192.0.2.{chance.randrange(1, 255)}",
    "ipv6": lambda chance: f"2001:db8::{chance.randrange(1, 65_536):x}",
    "uri": lambda chance: f"https://example.com/{_hex(chance)}",
    "uri-reference": lambda chance: f"/{_hex(chance)}",
    "json-pointer": lambda chance: f"/{_hex(chance)}",
    "regex": _hex,
}
