"""The contexts that rules check: typed values and their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from penstock_spec.findings import Span
from penstock_spec.layers import Layers, Source
from penstock_spec.manifest_templates import ManifestTemplates
from penstock_spec.model import Section
from penstock_spec.platform import Environment, Platform
from penstock_spec.reading import Document, Path, Problem, dotted

SpecT = TypeVar("SpecT", bound=Section)
ResultT = TypeVar("ResultT")
STEP = re.compile(r"[^.\[\]]+")
INDEX = re.compile(r"[0-9]{1,9}")


@lru_cache(4096)  # rules and kinds parse the same paths for every spec
def steps(path: str) -> Path:
    """The steps of a path such as `retries.classes.never.match[0]`."""
    path_steps: list[str | int] = []
    for match in STEP.finditer(path):
        word = match.group()
        inside = match.start() > 0 and path[match.start() - 1] == "["
        path_steps.append(int(word) if inside and INDEX.fullmatch(word) else word)
    return tuple(path_steps)


@dataclass(frozen=True, slots=True)
class SpecContext(Generic[SpecT]):
    """One spec in one environment."""

    spec: SpecT
    environment: str
    platform: Environment
    platform_document: Document
    layers: Layers
    beside: Callable[[str], bytes | None]
    """Reads a file that the spec names, by its path relative to the spec."""
    templates: ManifestTemplates | None = None
    """The repository's own templates, if they change a manifest that rules check."""
    _results: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, work: Callable[[SpecContext[SpecT]], ResultT]) -> ResultT:
        """The result of a function of this context. It is computed once, although many rules call it."""
        if work not in self._results:
            self._results[work] = work(self)
        result: ResultT = self._results[work]
        return result

    @property
    def file(self) -> str:
        """The spec's file."""
        return self.layers.document.file

    def at(self, path: str) -> Span:
        """The place of a value, or of the nearest written value around it."""
        return self.layers.at(steps(path))

    def is_set(self, path: str) -> bool:
        """Whether a file sets this value: the spec or the platform file."""
        return self.layers.source(steps(path)) not in (Source.DEFAULT, Source.DERIVED)

    def first_set(self, *paths: str) -> str:
        """The first of these paths that a file sets: the place to report when values contradict each other."""
        return next((path for path in paths if self.is_set(path)), paths[0])

    def line(self, path: str) -> str:
        """The place of another value in a message: `line 21`, a file and a line, or `by default`."""
        place = self.layers.place(steps(path))
        if place is None:
            return "by default"
        at = place.caret
        return f"line {at.line}" if at.file == self.file else f"{at.file}:{at.line}"

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """Report a problem at a field of the spec."""
        return Problem("", self.at(path), says, hint, path)

    def platform_line(self, path: str) -> str:
        """The file and line of a value of this environment in the platform file."""
        full_path = ("environments", self.environment, *steps(path))
        place = self.platform_document.places.get(full_path)
        return f"{place.caret.file}:{place.caret.line}" if place else "by default"


@dataclass(frozen=True, slots=True)
class ChangeContext(Generic[SpecT]):
    """One spec in one environment, now and when files were last generated."""

    before: SpecT
    now: SpecContext[SpecT]

    @property
    def after(self) -> SpecT:
        """The spec as it is now."""
        return self.now.spec

    def problem(self, path: str, says: str) -> Problem:
        """Report a problem at a field of the spec. The hint is the same for all changes."""
        return self.now.problem(path, says, "")


@dataclass(frozen=True, slots=True)
class EnvironmentContext:
    """One environment of the platform file."""

    file: Platform
    environment: str
    platform: Environment
    document: Document

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """Report a problem at a field of this environment."""
        full_path: Path = ("environments", self.environment, *steps(path))
        return Problem("", self.document.nearest(full_path), says, hint, dotted(full_path))


@dataclass(frozen=True, slots=True)
class SpecFacts:
    """The facts of one spec for rules across specs: plain values with their places, which can be cached."""

    kind: str
    file: str
    environment: str
    values: dict[str, Any]
    places: Mapping[str, Sequence[Any]]
    """The fields of a `Span` for each value: of thousands of cached places, few are ever read."""

    def at(self, path: str) -> Span:
        """The place of a value."""
        return Span(*self.places[path])

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """Report a problem at a field of this spec."""
        return Problem("", self.at(path), says, hint, path)

    def line(self, path: str) -> str:
        """`specs/other.yaml:8`."""
        return f"{self.at(path).file}:{self.at(path).line}"


@dataclass(frozen=True, slots=True)
class Fleet:
    """All specs of one environment, in the order of their files."""

    environment: str
    platform: EnvironmentContext
    members: tuple[SpecFacts, ...]
    complete: bool
    """Whether these are all specs of the repository, not only some named ones."""

    def of(self, kind: str) -> Iterator[SpecFacts]:
        """The specs of one kind."""
        return (member for member in self.members if member.kind == kind)
