"""The table widget: only changed cells are redrawn."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widgets import DataTable

from penstock_dev.screen.table import GAP, TableLayout, fit_columns
from penstock_dev.snapshot import SpecSnapshot


class SpecTable(DataTable[Text]):
    """A row per spec."""

    def __init__(self) -> None:
        super().__init__(id="pipelines", cursor_type="row", cell_padding=0, zebra_stripes=False)
        self.can_focus = False
        self._layout: TableLayout | None = None
        self._specs: Sequence[SpecSnapshot] = ()
        self._names: list[str] = []
        self._cells: dict[str, list[Text]] = {}

    def show(self, specs: Sequence[SpecSnapshot], selected: str, columns: int, lines: int) -> None:
        """Show the specs, scrolled to the selected one."""
        self.styles.height = lines
        layout = fit_columns(specs, columns)
        names = [one.name for one in specs]
        if layout != self._layout or names != self._names:
            self._build(layout, specs)
        else:
            self._update(layout, specs)
        if selected in names:
            self.move_cursor(row=names.index(selected), animate=False)

    def _update(self, layout: TableLayout, specs: Sequence[SpecSnapshot]) -> None:
        for one, last in zip(specs, self._specs, strict=True):
            if one == last:
                continue
            for at, (cell, before) in enumerate(zip(self._row(layout, one), self._cells[one.name], strict=True)):
                if cell != before or cell.spans != before.spans or cell.style != before.style:
                    self._cells[one.name][at] = cell
                    self.update_cell(one.name, str(at), cell)
        self._specs = specs

    def _build(self, layout: TableLayout, specs: Sequence[SpecSnapshot]) -> None:
        """Rebuild for other columns or other specs."""
        self._layout, self._specs, self._names = layout, specs, [one.name for one in specs]
        self._cells = {one.name: self._row(layout, one) for one in specs}
        self.clear(columns=True)
        for at, (heading, width) in enumerate(layout.headings):
            gap = " " * GAP if at else ""
            self.add_column(Text(gap + heading, "bold"), width=width + len(gap), key=str(at))
        for name, cells in self._cells.items():
            self.add_row(*cells, key=name)

    @staticmethod
    def _row(layout: TableLayout, one: SpecSnapshot) -> list[Text]:
        name, *rest = layout.row(one)
        return [name, *(Text(" " * GAP).append_text(cell) for cell in rest)]
