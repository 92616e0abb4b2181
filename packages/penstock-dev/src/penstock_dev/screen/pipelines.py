"""The table, as a widget: rows are chosen in it, and only cells that changed are drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.message import Message
from textual.widgets import DataTable

from penstock_dev.screen.table import GAP, Shape, shape
from penstock_dev.seen import SpecSeen


class Pipelines(DataTable[Text]):
    """A row for each."""

    class Chosen(Message):
        """Another row is chosen."""

        def __init__(self, name: str) -> None:
            """The spec's."""
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        """Without rows."""
        super().__init__(id="pipelines", cursor_type="row", cell_padding=0, zebra_stripes=False)
        self.can_focus = False
        self._shape: Shape | None = None
        self._names: list[str] = []
        self._cells: dict[str, list[Text]] = {}

    def show(self, specs: Sequence[SpecSeen], columns: int, lines: int) -> None:
        """In so many lines; what does not fit is reached by choosing it."""
        self.styles.height = lines
        fits = shape(specs, columns)
        names = [one.name for one in specs]
        if fits != self._shape or names != self._names:
            self._build(fits, specs)
            return
        for one in specs:
            for at, (cell, before) in enumerate(zip(self._row(fits, one), self._cells[one.name], strict=True)):
                if cell != before or cell.spans != before.spans or cell.style != before.style:
                    self._cells[one.name][at] = cell
                    self.update_cell(one.name, str(at), cell)

    def move(self, by: int) -> None:
        """Choose another row."""
        if self._names:
            self.move_cursor(row=min(max(self.cursor_row + by, 0), len(self._names) - 1), animate=False)

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """What Textual calls it."""
        event.stop()
        if event.row_key.value is not None and event.row_key.value in self._names:
            self.post_message(self.Chosen(event.row_key.value))

    def _build(self, fits: Shape, specs: Sequence[SpecSeen]) -> None:
        """Of other columns or other specs; the chosen one stays chosen."""
        before = self._names[self.cursor_row] if self.cursor_row < len(self._names) else None
        self._shape, self._names = fits, [one.name for one in specs]
        self._cells = {one.name: self._row(fits, one) for one in specs}
        self.clear(columns=True)
        for at, (heading, wide) in enumerate(fits.headings):
            gap = " " * GAP if at else ""
            self.add_column(Text(gap + heading, "bold"), width=wide + len(gap), key=str(at))
        for name, cells in self._cells.items():
            self.add_row(*cells, key=name)
        if before in self._names:
            self.move_cursor(row=self._names.index(before), animate=False)

    @staticmethod
    def _row(fits: Shape, one: SpecSeen) -> list[Text]:
        name, *rest = fits.row(one)
        return [name, *(Text(" " * GAP).append_text(cell) for cell in rest)]
