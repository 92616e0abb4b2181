"""The keys that a Lua script uses, read from its text: which names hold keys, and which key each command gets.

This is not a parser of Lua: it knows the few forms in which our scripts bind names; anything else counts as no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from penstock.scripts import FOLDER

KEYLESS = {"TIME", "ECHO", "PING"}
BEHIND_A_WORD = {"XGROUP", "XINFO"}
ALL_ARE_KEYS = {"DEL", "EXISTS", "MGET", "UNLINK"}

WORD = re.compile(r"[A-Za-z_]\w*")
KEY = re.compile(r"KEYS\[[^\]]+\]|unpack\(KEYS(, [^()]*)?\)")
COMMENT = re.compile(r"--.*")
FUNCTION = re.compile(r"function (\w+)\(([^)]*)\)")
LOCAL = re.compile(r"\blocal ([\w, ]+?) = ")
ASSIGNED = re.compile(r"^\s*(\w+) = (.+)$", re.MULTILINE)
LOOP = re.compile(r"for \w+, (\w+) in i?pairs\(\{([^}]*)\}\)")
CALL = re.compile(r"redis\.p?call\(")
CLOSING = {"(": ")", "{": "}", "[": "]"}


def names() -> list[str]:
    """The names of all scripts of a pipeline."""
    return sorted(path.stem for path in FOLDER.glob("*.lua"))


def files() -> list[Path]:
    """The scripts of all kinds; each kind has its own folder `scripts`."""
    return sorted(path for path in FOLDER.parent.glob("**/scripts/*.lua"))


def called(path: Path) -> str:
    """The name of a script in test ids."""
    return "/".join(path.relative_to(FOLDER.parent).with_suffix("").parts)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a script with its arguments as written."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.words[0].strip("'")

    def key_arguments(self) -> Sequence[str]:
        """The expressions in the places of keys."""
        if self.name in KEYLESS:
            return ()
        at = 2 if self.name in BEHIND_A_WORD else 1
        return self.words[at:] if self.name in ALL_ARE_KEYS else self.words[at : at + 1] or ("nothing",)


def split(text: str) -> list[str]:
    """Split a list of expressions at its own commas; it ends with the text or at an unmatched closing bracket."""
    parts, part, open_, quoted = [], "", [], ""
    for sign in text:
        if quoted:
            quoted = "" if sign == quoted else quoted
        elif sign in "'\"":
            quoted = sign
        elif sign in CLOSING:
            open_.append(CLOSING[sign])
        elif open_ and sign == open_[-1]:
            open_.pop()
        elif not open_ and sign in ")}]":
            break
        elif not open_ and sign == ",":
            parts.append(part.strip())
            part = ""
            continue
        part += sign
    return [*parts, part.strip()]


class Lua:
    """A script and its commands."""

    def __init__(self, text: str) -> None:
        self._text = COMMENT.sub("", text)
        self._tables = {name: split(self._text[end:]) for name, end in self._opened()}
        self._bound = list(self._bindings())

    def foreign_keys(self) -> list[str]:
        """Commands that get a key that is not in KEYS."""
        keys = self._keys()
        return [
            f"{command.name} {expression}"
            for command in self.commands()
            for expression in command.key_arguments()
            if not is_key(expression, keys)
        ]

    def commands(self) -> Iterator[Command]:
        for match in CALL.finditer(self._text):
            words = split(self._text[match.end() :])
            table = re.fullmatch(r"unpack\((\w+)\)", words[0])
            yield Command(tuple(self._tables.get(table[1], ["'?'"]) if table else words))

    def used(self, array: str) -> set[int]:
        """The indexes of KEYS or ARGV that it uses."""
        return {int(number) for number in re.findall(rf"\b{array}\[(\d+)\]", self._text)}

    def _keys(self) -> set[str]:
        """Names that hold a key in every binding; removes the others until nothing changes."""
        keys = {name for name, _ in self._bound}
        while others := {name for name, expression in self._bound if name in keys and not is_key(expression, keys)}:
            keys -= others
        return keys

    def _bindings(self) -> Iterator[tuple[str, str]]:
        for match in LOCAL.finditer(self._text):
            line = self._text[match.end() :].partition("\n")[0]
            values = split(line)
            for place, name in enumerate(match[1].split(", ")):
                yield name, values[place] if place < len(values) else "nothing"
        for match in ASSIGNED.finditer(self._text):
            yield match[1], match[2]
        for match in LOOP.finditer(self._text):
            yield from ((match[1], one) for one in split(match[2]))
        for match in FUNCTION.finditer(self._text):
            yield from self._given(match[1], match[2].split(", "))

    def _given(self, function: str, parameters: Sequence[str]) -> Iterator[tuple[str, str]]:
        for called in re.finditer(rf"(?<!function ){function}\(", self._text):
            given: Mapping[int, str] = dict(enumerate(split(self._text[called.end() :])))
            yield from ((name, given.get(place, "nothing")) for place, name in enumerate(parameters) if name != "...")

    def _opened(self) -> Iterator[tuple[str, int]]:
        for match in LOCAL.finditer(self._text):
            names = match[1].split(", ")
            at = match.end()
            for name in names:
                if self._text[at : at + 1] == "{":
                    yield name, at + 1
                at += len(split(self._text[at:].partition("\n")[0])[0]) + 2


def is_key(expression: str, keys: set[str]) -> bool:
    """Whether an expression is a key; in `condition and key or key`, both must be keys."""
    either = [one.rpartition(" and ")[2] for one in expression.split(" or ")]
    return all(KEY.fullmatch(one) or one in keys for one in either)
