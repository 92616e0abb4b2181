"""A document: plain values, each with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from penstock_spec.findings import Span

Path: TypeAlias = tuple[str | int, ...]


class Problem(NamedTuple):
    """A finding without title and severity, which the catalogue adds."""

    rule: str
    at: Span
    says: str
    hint: str
    path: str = ""


MOST = 100
"""The maximum number of problems from one check of a file. More are usually one mistake, repeated."""


def first(problems: Iterable[Problem]) -> list[Problem]:
    """The first problems, and a note if there are more; the rest is not created."""
    shown = list(islice(problems, MOST + 1))
    if len(shown) > MOST:
        shown[MOST] = too_many(shown[MOST])
    return shown


def too_many(left_out: Problem) -> Problem:
    """The note in place of the first omitted problem."""
    says = f"the file has more than {MOST} findings; the rest is left out"
    return Problem("too-many-findings", left_out.at, says, "fix these, then run it again")


class Place(NamedTuple):
    """The place of a value and of its key, if it has one."""

    key: Span | None
    value: Span

    @property
    def caret(self) -> Span:
        """The span to mark: the value if it is on one line, else its key."""
        if self.key is not None and self.value.end_line != self.value.line:
            return self.key
        return self.value

    @property
    def name(self) -> Span:
        """The key, or the value if there is no key."""
        return self.key or self.value


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document. `data` is None if it is unreadable; `problems` has the reasons."""

    file: str
    lines: tuple[str, ...]
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def start(self) -> Span:
        """The first line with content, for problems without a better place."""
        for number, line in enumerate(self.lines, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                return Span(self.file, number, 1, number, len(line) + 1)
        return Span(self.file, 1, 1, 1, 1)

    def nearest(self, path: Path) -> Span:
        """The place of a value, or of the nearest written value around it."""
        place = self.places.get(path)
        if place is not None:
            return place.caret
        for end in range(len(path) - 1, 0, -1):
            around = self.places.get(path[:end])
            if around is not None:
                return around.name
        return self.start


def dotted(path: Path) -> str:
    """A path as text: `retries.classes.never.match[0]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
