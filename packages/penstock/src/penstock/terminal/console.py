"""The environment of a command: its folder, colour and day."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TextIO

import click

from penstock_spec.findings import CannotGoOn

STYLES: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "info": {"fg": "cyan", "bold": True},
    "rule": {"fg": "blue", "bold": True},
    "dim": {"dim": True},
    "bold": {"bold": True},
}


def here() -> Path:
    """The current folder."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise CannotGoOn("the current folder no longer exists", "change to another folder") from None


def coloured(stream: TextIO | None) -> bool:
    """Whether to use colour: on capable terminals, unless `NO_COLOR` is set."""
    if stream is None or os.environ.get("NO_COLOR"):
        return False
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def painter(stream: TextIO | None = None) -> Callable[[str, str], str]:
    """A function that styles text for this stream."""
    if not coloured(stream or sys.stdout):  # either may be None: a shell can close it
        return lambda text, _style: text
    return lambda text, style: click.style(text, **STYLES[style])


def today() -> date:
    """The day for end dates of suppressions; `PENSTOCK_TODAY` overrides it."""
    value = os.environ.get("PENSTOCK_TODAY")
    if not value:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise CannotGoOn(f"`PENSTOCK_TODAY` is `{value}`, which is not a date", "write it as `2027-01-31`") from None
