"""What a Lua script does to keys, read from its text: which names hold keys, and what each command is given as its key.

Not a parser of Lua: it knows the few shapes in which our scripts bind names, and takes everything else for no key.
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
    """All scripts of a pipeline."""
    return sorted(path.stem for path in FOLDER.glob("*.lua"))


def files() -> list[Path]:
    """Those of every kind: each has a folder `scripts` with its own."""
    return sorted(path for path in FOLDER.parent.glob("**/scripts/*.lua"))


def called(path: Path) -> str:
    """As the ids of tests have it."""
    return "/".join(path.relative_to(FOLDER.parent).with_suffix("").parts)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a script and what it is given, as written."""

    words: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.words[0].strip("'")

    def given(self) -> Sequence[str]:
        """The expressions that stand where keys do."""
        if self.name in KEYLESS:
            return ()
        at = 2 if self.name in BEHIND_A_WORD else 1
        return self.words[at:] if self.name in ALL_ARE_KEYS else self.words[at : at + 1] or ("nothing",)


def split(text: str) -> list[str]:
    """A list of expressions, at its own commas; it ends where the text does, or at a bracket that was not opened."""
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
    """A script with all that it is written with."""

    def __init__(self, text: str) -> None:
        self._text = COMMENT.sub("", text)
        self._tables = {name: split(self._text[end:]) for name, end in self._opened()}
        self._bound = list(self._bindings())

    def strangers(self) -> list[str]:
        """Commands that are given something as a key that is none of KEYS."""
        keys = self._keys()
        return [
            f"{command.name} {expression}"
            for command in self.commands()
            for expression in command.given()
            if not is_key(expression, keys)
        ]

    def commands(self) -> Iterator[Command]:
        for found in CALL.finditer(self._text):
            words = split(self._text[found.end() :])
            table = re.fullmatch(r"unpack\((\w+)\)", words[0])
            yield Command(tuple(self._tables.get(table[1], ["'?'"]) if table else words))

    def used(self, array: str) -> set[int]:
        """Which numbers of KEYS or ARGV it names."""
        return {int(number) for number in re.findall(rf"\b{array}\[(\d+)\]", self._text)}

    def _keys(self) -> set[str]:
        """Names that hold a key wherever they are bound; found by leaving out the others until nothing changes."""
        keys = {name for name, _ in self._bound}
        while others := {name for name, expression in self._bound if name in keys and not is_key(expression, keys)}:
            keys -= others
        return keys

    def _bindings(self) -> Iterator[tuple[str, str]]:
        for found in LOCAL.finditer(self._text):
            line = self._text[found.end() :].partition("\n")[0]
            values = split(line)
            for place, name in enumerate(found[1].split(", ")):
                yield name, values[place] if place < len(values) else "nothing"
        for found in ASSIGNED.finditer(self._text):
            yield found[1], found[2]
        for found in LOOP.finditer(self._text):
            yield from ((found[1], one) for one in split(found[2]))
        for found in FUNCTION.finditer(self._text):
            yield from self._given(found[1], found[2].split(", "))

    def _given(self, function: str, parameters: Sequence[str]) -> Iterator[tuple[str, str]]:
        for called in re.finditer(rf"(?<!function ){function}\(", self._text):
            given: Mapping[int, str] = dict(enumerate(split(self._text[called.end() :])))
            yield from ((name, given.get(place, "nothing")) for place, name in enumerate(parameters) if name != "...")

    def _opened(self) -> Iterator[tuple[str, int]]:
        for found in LOCAL.finditer(self._text):
            names = found[1].split(", ")
            at = found.end()
            for name in names:
                if self._text[at : at + 1] == "{":
                    yield name, at + 1
                at += len(split(self._text[at:].partition("\n")[0])[0]) + 2


def is_key(expression: str, keys: set[str]) -> bool:
    """`condition and key` is a key or nothing; of `condition and key or key` both must be keys."""
    either = [one.rpartition(" and ")[2] for one in expression.split(" or ")]
    return all(KEY.fullmatch(one) or one in keys for one in either)
