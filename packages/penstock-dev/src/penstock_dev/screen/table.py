"""The rows and columns of the table, as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from penstock_dev.screen.formatting import count, cut, handling, rate, safe, seconds
from penstock_dev.screen.sparkline import sparkline
from penstock_dev.snapshot import SpecSnapshot

GAP = 2
"""Blanks between two columns."""
MIN_NAME = 12
MIN_SPARKLINE, MAX_SPARKLINE = 6, 40
MARKS = 2
"""Columns before a name: `!` for a problem, `P` for paused scaling."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers."""

    heading: str
    columns: int
    text: Callable[[SpecSnapshot], str]
    style: Callable[[SpecSnapshot], str] = lambda _: ""

    def cell(self, one: SpecSnapshot) -> Text:
        """The cell of a spec, aligned to the right."""
        return Text(cut(self.text(one), self.columns).rjust(self.columns), self.style(one), no_wrap=True)


def _replicas(one: SpecSnapshot) -> str:
    return f"{one.running}" if one.running == one.wanted else f"{one.running}→{one.wanted}"


def _late(one: SpecSnapshot) -> str:
    return "yellow" if one.running != one.wanted else ""


COLUMNS = (
    Column("backlog", 7, lambda one: count(one.backlog)),
    Column("oldest", 6, lambda one: seconds(one.oldest) if one.oldest else "-"),
    Column("replicas", 8, _replicas, _late),
    Column("dead", 5, lambda one: count(one.dead), lambda one: "bold red" if one.dead else ""),
    Column("done/s", 6, lambda one: rate(one.done)),
    Column("p95", 6, lambda one: handling(one.p95)),
)
"""A narrow window loses the last columns first."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """The columns and their widths."""

    name: int
    numbers: tuple[Column, ...]
    curve: int
    """Width of the sparkline; 0 hides it."""

    @property
    def headings(self) -> list[tuple[str, int]]:
        """Each heading with its width."""
        title = "recent backlog" if self.curve >= len("recent backlog") else "recent"
        curve = [(title.rjust(self.curve), self.curve)] if self.curve else []
        numbers = [(one.heading.rjust(one.columns), one.columns) for one in self.numbers]
        return [("  spec"[: self.name], self.name), *numbers, *curve]

    def row(self, one: SpecSnapshot) -> list[Text]:
        """The cells of a spec."""
        curve = [Text(sparkline([point.backlog for point in one.history], self.curve), "cyan")] if self.curve else []
        return [_name(one, self.name), *(column.cell(one) for column in self.numbers), *curve]


def fit_columns(specs: Sequence[SpecSnapshot], columns: int) -> TableLayout:
    """The columns that fit. Names get the width they need, the sparkline gets the rest."""
    numbers: tuple[Column, ...] = COLUMNS
    while len(numbers) > 1 and _width(numbers) + MIN_NAME > columns:
        numbers = numbers[:-1]
    available = max(columns - _width(numbers), 1)
    longest = max([MIN_NAME, *(cell_len(safe(one.name)) + MARKS for one in specs)])
    curve = available - longest - GAP
    if curve < MIN_SPARKLINE and numbers == COLUMNS and available >= MIN_NAME + GAP + MIN_SPARKLINE:
        curve = MIN_SPARKLINE  # cut a long name rather than hide the sparkline
    curve = min(curve, MAX_SPARKLINE) if curve >= MIN_SPARKLINE and numbers == COLUMNS else 0
    return TableLayout(available - (curve + GAP if curve else 0), numbers, curve)


def _width(numbers: Sequence[Column]) -> int:
    return sum(one.columns + GAP for one in numbers)


def _name(one: SpecSnapshot, columns: int) -> Text:
    mark, style = ("!", "bold red") if one.problems else ("P", "yellow") if one.paused else (" ", "")
    return Text.assemble((mark, style), " ", cut(one.name, columns - MARKS), no_wrap=True)[:columns]
