"""Merge a spec with one environment, and remember the source and the place of each value.

A value comes from the first of these that sets its path: `environments.<name>` of the spec, the spec,
`environments.<name>.defaults` of the platform file, its `defaults`, a derived value, the default of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from penstock_spec.fields import fields_of, has_path
from penstock_spec.findings import Span
from penstock_spec.kinds import Kind
from penstock_spec.model import Section
from penstock_spec.reading import Document, Path, Place, Problem, dotted
from penstock_spec.values.strings import printable


class Source(StrEnum):
    """The source of a value."""

    ENVIRONMENT = "environment"
    SPEC = "spec"
    PLATFORM = "platform"
    DERIVED = "derived"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Overlay:
    """A value at a path that does not come from the spec's own lines."""

    path: Path
    source: Source
    document: Document | None
    base: Path

    def place(self, path: Path) -> Place | None:
        """The place of a value at or below the path of this overlay."""
        if self.document is None:
            return None
        return self.document.places.get(self.base + path[len(self.path) :])


@dataclass(frozen=True, slots=True)
class Layers:
    """The merged data of one spec in one environment."""

    document: Document
    environment: str
    data: dict[str, Any]
    overlays: tuple[Overlay, ...]
    problems: tuple[Problem, ...] = ()

    def over(self, path: Path) -> Overlay | None:
        """The deepest overlay that sets this path."""
        best = None
        for overlay in self.overlays:
            if path[: len(overlay.path)] == overlay.path and (best is None or len(overlay.path) >= len(best.path)):
                best = overlay
        return best

    def source(self, path: Path) -> Source:
        """The source of the value at this path."""
        overlay = self.over(path)
        if overlay is not None:
            inside = overlay.document is None or overlay.place(path) is not None
            return overlay.source if inside else Source.DEFAULT
        return Source.SPEC if path in self.document.places else Source.DEFAULT

    def place(self, path: Path) -> Place | None:
        """The place of the value, if a file sets it."""
        overlay = self.over(path)
        return overlay.place(path) if overlay else self.document.places.get(path)

    def at(self, path: Path) -> Span:
        """The place to report: the value, or the nearest written value around it."""
        for end in range(len(path), 0, -1):
            place = self.place(path[:end])
            if place is not None:
                return place.caret if end == len(path) else place.name
            if (below := self._below(path[:end])) is not None:
                return below
        return self.document.places[("name",)].name if ("name",) in self.document.places else self.document.start

    def _below(self, path: Path) -> Span | None:
        """The key of an override below this section, if only overrides set the section."""
        inside = (one for one in self.overlays if one.document and one.path[: len(path)] == path)
        keys = (one.document.places[one.base].key for one in inside if one.document)
        return next((key for key in keys if key), None)


def layered(kind: Kind, spec: Document, platform: Document, environment: str) -> Layers:
    """Merge a spec with one environment. Overrides that cannot be applied are findings."""
    data: dict[str, Any] = {key: copied(value) for key, value in spec.data.items() if key != "environments"}
    problems: list[Problem] = []
    overlays: list[Overlay] = []
    base: Path = ("environments", environment)
    for key, value in _outer_first(_mapping(spec.data, base)):
        if not may_override(kind, key):
            continue
        path = tuple(key.split("."))
        problem = set_value(data, path, value)
        if problem:
            at = spec.places[(*base, key)].name
            says = f"`{problem}` is not a section here, so it cannot have `{printable(key)}`"
            hint = f"override the whole of `{problem}` instead of `{printable(key)}`"
            problems.append(Problem("unknown-override", at, says, hint, key))
        else:
            overlays.append(Overlay(path, Source.ENVIRONMENT, spec, (*base, key)))
    for base in (("environments", environment, "defaults"), ("defaults",)):
        for key, value in _outer_first(_mapping(platform.data, base)):
            path = tuple(key.split("."))
            if may_override(kind, key) and not has_value(data, path) and not set_value(data, path, value):
                overlays.append(Overlay(path, Source.PLATFORM, platform, (*base, key)))
    for key, value in kind.derive(data).items():
        path = tuple(key.split("."))
        if not has_value(data, path) and not set_value(data, path, value):
            overlays.append(Overlay(path, Source.DERIVED, None, ()))
    return Layers(spec, environment, data, tuple(overlays), tuple(problems))


FIXED = ("kind", "name", "environments", "suppress", "acknowledge", "expect")
"""Fields that environments cannot override."""


def may_override(kind: Kind, key: str) -> bool:
    """Whether an environment or the platform file may set this path."""
    return key.partition(".")[0] not in FIXED and has_path(kind.model, key) and key not in sections(kind.model)


@cache
def sections(model: type[Section]) -> frozenset[str]:
    """The sections that always exist. Values from several sources are merged in them."""
    fields = ((field.path, field.info.annotation) for field in fields_of(model))
    return frozenset(path for path, kind in fields if isinstance(kind, type) and issubclass(kind, Section))


def copied(data: Any) -> Any:  # noqa: ANN401 - any YAML value
    """A copy of the sections and lists; the values in them are immutable."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if isinstance(data, list) else data


def _outer_first(section: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Sections before their fields, in any order of lines, so that a section does not overwrite a field."""
    return sorted(section.items(), key=lambda item: item[0].count("."))


def _mapping(data: object, path: Path) -> Mapping[str, Any]:
    for step in path:
        data = data.get(step) if isinstance(data, dict) and isinstance(step, str) else None
    return data if isinstance(data, dict) else {}


def has_value(data: Mapping[str, Any], path: Path) -> bool:
    """Whether the data has a value at this path, or a value that is not a section on the way to it."""
    value: object = data
    for step in path:
        if not isinstance(value, dict):
            return True
        if step not in value:
            return False
        value = value[step]
    return True


def set_value(data: dict[str, Any], path: Path, value: object) -> str:
    """Put a value at a path and create the sections on the way. Returns the path of an obstacle, or ""."""
    section: Any = data
    for depth, step in enumerate(path[:-1], 1):
        if step not in section:
            section[step] = {}
        section = section[step]
        if not isinstance(section, dict):
            return dotted(path[:depth])
    section[path[-1]] = copied(value)
    return ""
