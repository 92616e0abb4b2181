"""Values in Markdown: as words, as code, as words of a command. None of them breaks a line, begins or ends anything."""

from __future__ import annotations

import re
import shlex

MARKS = re.compile(r"([\\`*_{}\[\]<>&|~$#!]|^[-+=])")
"""What Markdown, or HTML within it, would read; the last at the beginning alone."""
TICKS = re.compile("`+")


def words(text: str) -> str:
    """A text that is shown as it is."""
    return MARKS.sub(r"\\\1", _line(text))


def code(text: str) -> str:
    """The same as code inside a line: between more ticks than are in it."""
    line = _line(text)
    fence = "`" * (max(map(len, TICKS.findall(line)), default=0) + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"


def shell(text: str) -> str:
    """One word of a command."""
    return shlex.quote(_line(text))


def _line(text: str) -> str:
    return " ".join(text.split())
