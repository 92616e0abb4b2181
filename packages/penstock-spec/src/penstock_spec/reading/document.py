"""A document that was read: plain values, and the place of every one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from penstock_spec.findings import Span

Path: TypeAlias = tuple[str | int, ...]


class Problem(NamedTuple):
    """A finding in the making: the rule's name, a place, and the words. The catalogue adds title and severity."""

    rule: str
    at: Span
    says: str
    hint: str
    path: str = ""


MOST = 100
"""Findings of one kind of look at one file. Whoever made that many mistakes made one, many times."""


def first(found: Iterable[Problem]) -> list[Problem]:
    """The first of them, and where there are more, that there are; the rest is not even made."""
    told = list(islice(found, MOST + 1))
    if len(told) > MOST:
        told[MOST] = too_many(told[MOST])
    return told


def too_many(left_out: Problem) -> Problem:
    """What is told instead of the first finding that is left out."""
    says = f"the file has more than {MOST} findings; the rest is left out"
    return Problem("too-many-findings", left_out.at, says, "fix these, then run it again")


class Place(NamedTuple):
    """Where a value stands: its key, if it has one, and the value itself."""

    key: Span | None
    value: Span

    @property
    def caret(self) -> Span:
        """What to point at: a value on one line is shown whole, a longer one by its key."""
        if self.key is not None and self.value.end_line != self.value.line:
            return self.key
        return self.value

    @property
    def name(self) -> Span:
        """The key, or the value where there is no key."""
        return self.key or self.value


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. `data` is `None` when nothing could be read; `found` tells why."""

    file: str
    lines: tuple[str, ...]
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    found: tuple[Problem, ...] = ()

    @property
    def start(self) -> Span:
        """The first line that says something, for what has no better place."""
        for number, line in enumerate(self.lines, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                return Span(self.file, number, 1, number, len(line) + 1)
        return Span(self.file, 1, 1, 1, 1)

    def nearest(self, path: Path) -> Span:
        """The place of a value, or of the closest thing around it that was written down."""
        place = self.places.get(path)
        if place is not None:
            return place.caret
        for end in range(len(path) - 1, 0, -1):
            around = self.places.get(path[:end])
            if around is not None:
                return around.name
        return self.start


def dotted(path: Path) -> str:
    """A path as people write it: `retries.classes.never.match[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
