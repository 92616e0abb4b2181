"""What a rule looks at: typed values, and the place of each."""

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


@lru_cache(4096)  # rules and kinds ask for the same ones, spec by spec
def steps(path: str) -> Path:
    """From `retries.classes.never.match[0]` to its steps."""
    found: list[str | int] = []
    for match in STEP.finditer(path):
        word = match.group()
        inside = match.start() > 0 and path[match.start() - 1] == "["
        found.append(int(word) if inside and INDEX.fullmatch(word) else word)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SpecContext(Generic[SpecT]):
    """One spec in one environment."""

    spec: SpecT
    environment: str
    platform: Environment
    platform_document: Document
    layers: Layers
    beside: Callable[[str], bytes | None]
    """Reads a file that the spec names, relative to it."""
    templates: ManifestTemplates | None = None
    """The repository's own templates, if they change a manifest that rules look at."""
    _results: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, work: Callable[[SpecContext[SpecT]], ResultT]) -> ResultT:
        """The result of a function of this context, which many rules ask for: it is computed once."""
        if work not in self._results:
            self._results[work] = work(self)
        result: ResultT = self._results[work]
        return result

    @property
    def file(self) -> str:
        """The spec's file."""
        return self.layers.document.file

    def at(self, path: str) -> Span:
        """Where a value stands, or the nearest thing around it that is written."""
        return self.layers.at(steps(path))

    def given(self, path: str) -> bool:
        """Somebody wrote this value, perhaps as a default of the platform."""
        return self.layers.source(steps(path)) not in (Source.DEFAULT, Source.DERIVED)

    def written(self, *paths: str) -> str:
        """The first of these that somebody wrote: what to point at where values do not go together."""
        return next((path for path in paths if self.given(path)), paths[0])

    def line(self, path: str) -> str:
        """Where the other value of a finding stands: `line 21`, a file and a line, or that it is a default."""
        place = self.layers.place(steps(path))
        if place is None:
            return "by default"
        at = place.caret
        return f"line {at.line}" if at.file == self.file else f"{at.file}:{at.line}"

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """A finding at a field of the spec."""
        return Problem("", self.at(path), says, hint, path)

    def platform_line(self, path: str) -> str:
        """Where a value of this environment stands in the platform file."""
        whole = ("environments", self.environment, *steps(path))
        place = self.platform_document.places.get(whole)
        return f"{place.caret.file}:{place.caret.line}" if place else "by default"


@dataclass(frozen=True, slots=True)
class ChangeContext(Generic[SpecT]):
    """One spec in one environment, and what it was there when files were last generated."""

    before: SpecT
    now: SpecContext[SpecT]

    @property
    def after(self) -> SpecT:
        """What it is now."""
        return self.now.spec

    def problem(self, path: str, says: str) -> Problem:
        """A finding at a field of the spec; the way out is the same for all."""
        return self.now.problem(path, says, "")


@dataclass(frozen=True, slots=True)
class EnvironmentContext:
    """One environment of the platform file."""

    whole: Platform
    environment: str
    platform: Environment
    document: Document

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """A finding at a field of this environment."""
        whole: Path = ("environments", self.environment, *steps(path))
        return Problem("", self.document.nearest(whole), says, hint, dotted(whole))


@dataclass(frozen=True, slots=True)
class SpecFacts:
    """What one spec shows to the rules across specs: plain values with their places, so that it can be cached."""

    kind: str
    file: str
    environment: str
    values: dict[str, Any]
    places: Mapping[str, Sequence[Any]]
    """Of each value the fields of a `Span`: of thousands that were kept, hardly any is asked for."""

    def at(self, path: str) -> Span:
        """Where a value stands."""
        return Span(*self.places[path])

    def problem(self, path: str, says: str, hint: str) -> Problem:
        """A finding at a field of this spec."""
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
    whole: bool
    """Whether all specs of the repository are among them, rather than some that were named."""

    def of(self, kind: str) -> Iterator[SpecFacts]:
        """Those of one kind."""
        return (member for member in self.members if member.kind == kind)
