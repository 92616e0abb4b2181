"""Dashboards as values; `grafana.py` turns them into JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Unit = Literal["short", "s", "percentunit", "mps", "ops", "bytes", "bool", "none"]
Look = Literal["lines", "areas", "number", "table"]
"""Lines over time, stacked areas, the current value, or a table."""
Colour = Literal["green", "orange", "red", "blue"]


@dataclass(frozen=True, slots=True)
class Target:
    """A query and the legend of its result; in a table, the heading of its column."""

    query: str
    legend: str

    def named(self, legend: str) -> Target:
        """The same query with another legend."""
        return replace(self, legend=legend)


@dataclass(frozen=True, slots=True)
class Step:
    """A colour from a value on; the value may be a placeholder."""

    value: Any
    colour: Colour


@dataclass(frozen=True, slots=True)
class Column:
    """More properties of a table's column, by Grafana's names."""

    name: str
    properties: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    description: str
    unit: Unit
    targets: tuple[Target, ...]
    look: Look = "lines"
    below: Colour = "green"
    """The colour below the first step."""
    steps: tuple[Step, ...] = ()
    """Drawn as lines, in ascending order."""
    by: str = ""
    """The label by which a table has its rows."""
    columns: tuple[Column, ...] = ()
    hidden: tuple[str, ...] = ()
    """Columns that a table omits."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels on one topic."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A choice of the viewer."""

    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another page."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Mark:
    """An annotation: moments that are marked in every panel."""

    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Dashboard:
    uid: str
    title: str
    description: str
    tags: tuple[str, ...]
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()
