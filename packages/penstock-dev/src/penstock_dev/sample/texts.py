"""Random texts with the required length, format or pattern; otherwise similar to the field's name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from penstock_dev.sample.errors import SampleError
from penstock_dev.sample.patterns import random_match

RANDOM_DIGITS = 6
"""Random hexadecimal digits, if the length allows."""


def text(one: dict[str, Any], name: str, random: Random) -> str:
    """A random text. Raises SampleError."""
    least, most = one.get("minLength", 0), one.get("maxLength")
    if "pattern" in one:
        try:
            return random_match(one["pattern"], random, at_least=least, at_most=most)
        except SampleError as why:
            raise SampleError(f"has a pattern that cannot be generated: {why}") from None
    if one.get("format") in FORMATS:
        return FORMATS[one["format"]](random)
    if most is not None and most < least:
        raise SampleError(f"must be longer than {least - 1} and shorter than {most + 1} characters")
    stem = name.removesuffix("_id") if name not in {"", "id"} else "sample"
    digits = f"{random.getrandbits(4 * RANDOM_DIGITS):0{RANDOM_DIGITS}x}"
    value = f"{stem}-{digits}"
    value += "".join(random.choice("0123456789abcdef") for _ in range(least - len(value)))
    # Keep the end, which differs between texts.
    return value if most is None else value[max(len(value) - most, 0) :]


def _moment(random: Random) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=random.randrange(365 * 86_400))


def _hex(random: Random) -> str:
    return f"{random.getrandbits(24):06x}"


FORMATS: dict[str, Callable[[Random], str]] = {
    "date-time": lambda random: _moment(random).strftime("%Y-%m-%dT%H:%M:%SZ"),
    "date": lambda random: _moment(random).strftime("%Y-%m-%d"),
    "time": lambda random: _moment(random).strftime("%H:%M:%SZ"),
    "duration": lambda random: f"PT{random.randint(1, 3600)}S",
    "uuid": lambda random: str(UUID(int=random.getrandbits(128), version=4)),
    "email": lambda random: f"{_hex(random)}@example.com",
    "hostname": lambda random: f"{_hex(random)}.example.com",
    "ipv4": lambda random: f"192.0.2.{random.randrange(1, 255)}",
    "ipv6": lambda random: f"2001:db8::{random.randrange(1, 65_536):x}",
    "uri": lambda random: f"https://example.com/{_hex(random)}",
    "uri-reference": lambda random: f"/{_hex(random)}",
    "json-pointer": lambda random: f"/{_hex(random)}",
    "regex": _hex,
}
