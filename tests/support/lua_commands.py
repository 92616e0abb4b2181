"""The commands that a script calls, read from its text: Redis checks the user's rights for each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.scripts import script

CONTAINERS = frozenset(
    {"acl", "client", "cluster", "config", "function", "memory", "object", "script", "xgroup", "xinfo"}
)
"""Commands with subcommands; rights are granted to the subcommand."""

CALL = re.compile(r"redis\.p?call\(")
LITERAL = re.compile(r"\s*'([A-Za-z]+)'(?:\s*,\s*'([A-Za-z]+)')?")
UNPACKED = re.compile(r"\s*unpack\((\w+)\)")
TABLE = re.compile(r"\{\s*'([A-Za-z]+)'")
COMMENT = re.compile(r"--[^\n]*")


def command(first: str, second: str | None = None) -> str:
    """The name of a command in an access list."""
    name = first.lower()
    return f"{name}|{second.lower()}" if name in CONTAINERS and second else name


def called_by(name: str) -> frozenset[str]:
    """All commands that a script may call. Raises ValueError for a call that it cannot read."""
    text = COMMENT.sub("", script(name).text.decode())
    return frozenset(word for call in CALL.finditer(text) for word in _words(text, call.end()))


def _words(text: str, at: int) -> Iterator[str]:
    """The commands of one call, which has a literal or unpacks a table."""
    if literal := LITERAL.match(text, at):
        yield command(literal[1], literal[2])
    elif unpacked := UNPACKED.match(text, at):
        yield from _lists(text[:at], unpacked[1])
    else:
        raise ValueError(f"a call whose command cannot be read: {text[at : at + 60]!r}")


def _lists(text: str, variable: str) -> Iterator[str]:
    """The first element of each table that the variable holds."""
    matched = False
    for names, values in re.findall(r"(?:local\s+)?(\w+(?:\s*,\s*\w+)*)\s*=\s*([^=\n]+)", text):
        places = [one.strip() for one in names.split(",")]
        if variable in places:
            parts = _split(values)
            place = places.index(variable)
            begins = TABLE.match(parts[place].strip()) if place < len(parts) else None
            if begins:
                matched = True
                yield command(begins[1])
    if not matched:
        raise ValueError(f"the command in `{variable}` cannot be read")


def _split(values: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth = [""], 0
    for one in values:
        depth += (one in "({[") - (one in ")}]")
        if one == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += one
    return parts
