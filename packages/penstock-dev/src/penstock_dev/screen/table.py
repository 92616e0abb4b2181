"""A row for each spec: what must be seen of all of them at once, in as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from penstock_dev.screen.formatting import count, cut, handling, rate, safe, seconds
from penstock_dev.screen.sparkline import sparkline
from penstock_dev.snapshot import SpecSnapshot

GAP = 2
"""Columns between two columns."""
SHORTEST_NAME = 12
SHORTEST_CURVE, LONGEST_CURVE = 6, 40
MARKS = 2
"""Columns before a name: `!` where something is wrong, `P` where scaling is paused."""


@dataclass(frozen=True, slots=True)
class Column:
    """One kind of number."""

    heading: str
    columns: int
    told: Callable[[SpecSnapshot], str]
    style: Callable[[SpecSnapshot], str] = lambda _: ""

    def cell(self, one: SpecSnapshot) -> Text:
        """Its number stands at the right end."""
        return Text(cut(self.told(one), self.columns).rjust(self.columns), self.style(one), no_wrap=True)


def _replicas(one: SpecSnapshot) -> str:
    return f"{one.running}" if one.running == one.wanted else f"{one.running}→{one.wanted}"


def _late(one: SpecSnapshot) -> str:
    return "yellow" if one.running != one.wanted else ""


NUMBERS = (
    Column("backlog", 7, lambda one: count(one.backlog)),
    Column("oldest", 6, lambda one: seconds(one.oldest) if one.oldest else "-"),
    Column("replicas", 8, _replicas, _late),
    Column("dead", 5, lambda one: count(one.dead), lambda one: "bold red" if one.dead else ""),
    Column("done/s", 6, lambda one: rate(one.done)),
    Column("p95", 6, lambda one: handling(one.p95)),
)
"""The first are the last to go when a window becomes narrow."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Which columns there are, and how wide."""

    name: int
    numbers: tuple[Column, ...]
    curve: int
    """Columns of the curve; 0 where there is none."""

    @property
    def headings(self) -> list[tuple[str, int]]:
        """With the width of each."""
        lately = "backlog lately" if self.curve >= len("backlog lately") else "lately"
        curve = [(lately.rjust(self.curve), self.curve)] if self.curve else []
        numbers = [(one.heading.rjust(one.columns), one.columns) for one in self.numbers]
        return [("  pipeline"[: self.name], self.name), *numbers, *curve]

    def row(self, one: SpecSnapshot) -> list[Text]:
        """A spec's cells."""
        curve = [Text(sparkline([past.backlog for past in one.history], self.curve), "cyan")] if self.curve else []
        return [_name(one, self.name), *(column.cell(one) for column in self.numbers), *curve]


def fit_columns(specs: Sequence[SpecSnapshot], columns: int) -> TableLayout:
    """The columns that fit. A name gets what it needs, then the curve the rest."""
    numbers: tuple[Column, ...] = NUMBERS
    while len(numbers) > 1 and _wide(numbers) + SHORTEST_NAME > columns:
        numbers = numbers[:-1]
    layout = max(columns - _wide(numbers), 1)
    longest = max([SHORTEST_NAME, *(cell_len(safe(one.name)) + MARKS for one in specs)])
    curve = layout - longest - GAP
    if curve < SHORTEST_CURVE and numbers == NUMBERS and layout >= SHORTEST_NAME + GAP + SHORTEST_CURVE:
        curve = SHORTEST_CURVE  # a long name is cut rather than that nothing is seen of what came before
    curve = min(curve, LONGEST_CURVE) if curve >= SHORTEST_CURVE and numbers == NUMBERS else 0
    return TableLayout(layout - (curve + GAP if curve else 0), numbers, curve)


def _wide(numbers: Sequence[Column]) -> int:
    return sum(one.columns + GAP for one in numbers)


def _name(one: SpecSnapshot, columns: int) -> Text:
    mark, style = ("!", "bold red") if one.problems else ("P", "yellow") if one.paused else (" ", "")
    return Text.assemble((mark, style), " ", cut(one.name, columns - MARKS), no_wrap=True)[:columns]
