"""Lines of logs. They are data: letters of them that would colour, move or mark up are shown as what they are."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from rich.text import Text

from penstock_dev.screen.formatting import cut, padded
from penstock_dev.snapshot import Level, LogLine

LONGEST = 600
"""Columns of a line; a stack or a body in one line must not push everything else away."""
LONGEST_WORKER = 28
SIGNS = {
    Level.DEBUG: ("D", "dim"),
    Level.INFO: ("I", ""),
    Level.WARNING: ("W", "yellow"),
    Level.ERROR: ("E", "bold red"),
}


def chosen(log: Sequence[LogLine], spec: str | None) -> list[LogLine]:
    """Those of one spec, and those that are of none: what befell Redis befell it as well."""
    return [line for line in log if spec is None or line.spec in {"", spec}]


def stamp(line: LogLine, zone: tzinfo | None) -> Text:
    """When, and how bad; what is said stands beside it, also where it takes several lines."""
    sign, style = SIGNS[line.level]
    try:
        at = datetime.fromtimestamp(line.at, zone).strftime("%H:%M:%S")
    except (OverflowError, ValueError, OSError):  # a clock that is no clock
        at = "--:--:--"
    return Text().append(f"{at} ", "dim").append(f"{sign} ", style)


def said(line: LogLine, names: int) -> Text:
    """Who said what; `names` is how many columns a spec's name may take, 0 where all are of one."""
    text = Text(overflow="fold")
    if names:
        text.append(f"{padded(line.spec or '-', names)} ", "blue")
    if line.worker:
        text.append(f"{cut(line.worker, LONGEST_WORKER)} ", "dim")
    return text.append(cut(line.text, LONGEST), SIGNS[line.level][1])
