"""What a dashboard shows, as values; Grafana's way of saying it is `grafana.py`'s."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Unit = Literal["short", "s", "percentunit", "mps", "ops", "bytes", "bool", "none"]
Look = Literal["lines", "areas", "number", "table"]
"""Lines over time, the same on top of each other, what it is now, a row for each thing."""
Colour = Literal["green", "orange", "red", "blue"]


@dataclass(frozen=True, slots=True)
class Target:
    """A query and the name of what it gives; in a table, the heading of its column."""

    query: str
    legend: str

    def named(self, legend: str) -> Target:
        """The same under another name."""
        return replace(self, legend=legend)


@dataclass(frozen=True, slots=True)
class Step:
    """From this value on it is of this colour; a value may be a blank that is filled in later."""

    value: Any
    colour: Colour


@dataclass(frozen=True, slots=True)
class Column:
    """What is else of a table's column: properties by Grafana's names for them."""

    name: str
    says: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture."""

    title: str
    description: str
    unit: Unit
    targets: tuple[Target, ...]
    look: Look = "lines"
    below: Colour = "green"
    """The colour before the first step."""
    steps: tuple[Step, ...] = ()
    """Drawn as lines; they rise."""
    by: str = ""
    """The label that a table has its rows by."""
    columns: tuple[Column, ...] = ()
    hidden: tuple[str, ...] = ()
    """Columns that a table leaves out."""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels about one thing."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """What whoever looks may choose."""

    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Link:
    """To a page elsewhere."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Moments that are marked in every picture."""

    name: str
    query: str


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Whole."""

    uid: str
    title: str
    description: str
    tags: tuple[str, ...]
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]
    links: tuple[Link, ...] = ()
    marks: tuple[Mark, ...] = ()
