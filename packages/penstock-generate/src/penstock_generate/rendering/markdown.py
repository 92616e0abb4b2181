"""Values in Markdown: as text, as code, and as words of a command. None can break a line or start a markup."""

from __future__ import annotations

import re
import shlex

MARKS = re.compile(r"([\\`*_{}\[\]<>&|~$#!]|^[-+=])")
"""Characters with a meaning in Markdown or HTML; the last group only at the start."""
TICKS = re.compile("`+")


def words(text: str) -> str:
    """Plain text."""
    return MARKS.sub(r"\\\1", _line(text))


def code(text: str) -> str:
    """Inline code, between more backticks than the text contains."""
    line = _line(text)
    fence = "`" * (max(map(len, TICKS.findall(line)), default=0) + 1)
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"


def shell(text: str) -> str:
    """One word of a shell command."""
    return shlex.quote(_line(text))


def _line(text: str) -> str:
    return " ".join(text.split())
