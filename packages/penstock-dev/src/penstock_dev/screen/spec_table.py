"""The table, as a widget: it is drawn anew only where a cell changed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import DataTable

from penstock_dev.screen.table import GAP, TableLayout, fit_columns
from penstock_dev.snapshot import SpecSnapshot


class SpecTable(DataTable[Text]):
    """A row for each."""

    def __init__(self) -> None:
        """Without rows."""
        super().__init__(id="pipelines", cursor_type="row", cell_padding=0, zebra_stripes=False)
        self.can_focus = False
        self._shape: TableLayout | None = None
        self._specs: Sequence[SpecSnapshot] = ()
        self._names: list[str] = []
        self._cells: dict[str, list[Text]] = {}

    def show(self, specs: Sequence[SpecSnapshot], chosen: str, columns: int, lines: int) -> None:
        """In so many lines, the chosen one always among them."""
        self.styles.height = lines
        fits = fit_columns(specs, columns)
        names = [one.name for one in specs]
        if fits != self._shape or names != self._names:
            self._build(fits, specs)
        else:
            self._update(fits, specs)
        if chosen in names:
            self.move_cursor(row=names.index(chosen), animate=False)

    def _update(self, fits: TableLayout, specs: Sequence[SpecSnapshot]) -> None:
        for one, last in zip(specs, self._specs, strict=True):
            if one == last:
                continue
            for at, (cell, before) in enumerate(zip(self._row(fits, one), self._cells[one.name], strict=True)):
                if cell != before or cell.spans != before.spans or cell.style != before.style:
                    self._cells[one.name][at] = cell
                    self.update_cell(one.name, str(at), cell)
        self._specs = specs

    def _build(self, fits: TableLayout, specs: Sequence[SpecSnapshot]) -> None:
        """Of other columns, or other specs."""
        self._shape, self._specs, self._names = fits, specs, [one.name for one in specs]
        self._cells = {one.name: self._row(fits, one) for one in specs}
        self.clear(columns=True)
        for at, (heading, wide) in enumerate(fits.headings):
            gap = " " * GAP if at else ""
            self.add_column(Text(gap + heading, "bold"), width=wide + len(gap), key=str(at))
        for name, cells in self._cells.items():
            self.add_row(*cells, key=name)

    @staticmethod
    def _row(fits: TableLayout, one: SpecSnapshot) -> list[Text]:
        name, *rest = fits.row(one)
        return [name, *(Text(" " * GAP).append_text(cell) for cell in rest)]
