"""A resolved spec as YAML, each line with the source of its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock_spec.layers import Layers, Source
from penstock_spec.model import Section
from penstock_spec.reading import Path, dotted
from penstock_spec.values.yaml_text import flow, scalar

WIDEST = 64
"""The last column in which comments start."""


@dataclass(frozen=True, slots=True)
class SpecLine:
    """One line of a resolved spec. Sections have no source of their own."""

    text: str
    path: Path
    value: Any
    leaf: bool


def lines(model: Section, only: tuple[str, ...] = ()) -> Iterator[SpecLine]:
    """The lines of a resolved spec without its environments. `only` selects paths."""
    data = model.model_dump(by_alias=True)
    data.pop("environments", None)
    return (line for line in _section(data, (), "") if not only or _wanted(dotted(line.path), line.leaf, only))


def _wanted(path: str, leaf: bool, only: tuple[str, ...]) -> bool:  # noqa: FBT001 - a field of a line
    """Whether the path is selected, inside a selected path, or a section around one."""
    return any(
        path == one
        or path.startswith((f"{one}.", f"{one}["))
        or (not leaf and one.startswith((f"{path}.", f"{path}[")))
        for one in only
    )


def _section(data: dict[str, Any], path: Path, indent: str) -> Iterator[SpecLine]:
    for key, value in data.items():
        here = (*path, key)
        yield from _value(f"{indent}{scalar(key)}:", value, here, indent + "  ")


def _value(start: str, value: Any, path: Path, indent: str) -> Iterator[SpecLine]:  # noqa: ANN401 - the value of any field
    if isinstance(value, dict) and value:
        yield SpecLine(start, path, value, leaf=False)
        yield from _section(value, path, indent)
    elif isinstance(value, list) and any(isinstance(one, (dict, list)) and one for one in value):
        yield SpecLine(start, path, value, leaf=False)
        for index, one in enumerate(value):
            yield from _item(one, (*path, index), indent)
    else:
        yield SpecLine(f"{start} {flow(value)}", path, value, leaf=True)


def _item(value: Any, path: Path, indent: str) -> Iterator[SpecLine]:  # noqa: ANN401 - as above
    if not isinstance(value, dict) or not value:
        yield SpecLine(f"{indent}- {flow(value)}", path, value, leaf=True)
        return
    dash = "- "
    for line in _section(value, path, indent + "  "):
        if dash:
            yield SpecLine(indent + dash + line.text[len(indent) + 2 :], line.path, line.value, line.leaf)
            dash = ""
        else:
            yield line


def as_spec(model: Section, only: tuple[str, ...] = ()) -> str:
    """The resolved spec without sources."""
    return "".join(f"{line.text}\n" for line in lines(model, only))


def annotated(layers: Layers, model: Section, only: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Each line with the source of its value."""
    for line in lines(model, only):
        yield line.text, origin(layers, line.path) if line.leaf else ""


def origin(layers: Layers, path: Path) -> str:
    """The source of a value: a place such as `specs/media.yaml:8:8`, `derived` or `default`."""
    source = layers.source(path)
    if source is Source.DERIVED:
        return "derived"
    if source is Source.DEFAULT:
        return "default"
    at = layers.at(path)
    return f"{at} ({layers.environment})" if source is Source.ENVIRONMENT else str(at)


def values(layers: Layers, model: Section, only: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """All values with path and source, for JSON."""
    entries = []
    for line in lines(model, only):
        if line.leaf:
            source = layers.source(line.path)
            place = layers.place(line.path)
            at = {"file": place.caret.file, "line": place.caret.line, "column": place.caret.column} if place else None
            entries.append({"path": dotted(line.path), "value": _plain(line.value), "source": source.value, "at": at})
    return entries


def _plain(value: Any) -> Any:  # noqa: ANN401 - as above
    return value if isinstance(value, (str, int, float, bool, list, dict, type(None))) else str(value)
