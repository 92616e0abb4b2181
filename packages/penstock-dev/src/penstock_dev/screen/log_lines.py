"""Renders log lines. Their text is untrusted: markup and control characters are shown, not interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from rich.text import Text

from penstock_dev.screen.formatting import cut, padded
from penstock_dev.snapshot import Level, LogLine

MAX_COLUMNS = 600
"""A traceback or a body on one line must not push out everything else."""
MAX_WORKER = 28
SIGNS = {
    Level.DEBUG: ("D", "dim"),
    Level.INFO: ("I", ""),
    Level.WARNING: ("W", "yellow"),
    Level.ERROR: ("E", "bold red"),
}


def filter_log(log: Sequence[LogLine], spec: str | None) -> list[LogLine]:
    """The lines of one spec, and those of none, which concern it as well."""
    return [line for line in log if spec is None or line.spec in {"", spec}]


def render_prefix(line: LogLine, zone: tzinfo | None) -> Text:
    """Time and level; the text is indented beside it."""
    sign, style = SIGNS[line.level]
    try:
        at = datetime.fromtimestamp(line.at, zone).strftime("%H:%M:%S")
    except (OverflowError, ValueError, OSError):  # not a valid time
        at = "--:--:--"
    return Text().append(f"{at} ", "dim").append(f"{sign} ", style)


def render_text(line: LogLine, names: int) -> Text:
    """Source and text. `names` is the width for spec names; 0 omits them."""
    text = Text(overflow="fold")
    if names:
        text.append(f"{padded(line.spec or '-', names)} ", "blue")
    if line.worker:
        text.append(f"{cut(line.worker, MAX_WORKER)} ", "dim")
    return text.append(cut(line.text, MAX_COLUMNS), SIGNS[line.level][1])
