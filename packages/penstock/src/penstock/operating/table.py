"""Plain-text tables, aligned and fitted to the terminal if possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penstock_spec.report.safe import head, safe, width

GAPS = (2, 1)
"""Widths of the gap between cells; the first that fits is used."""
INDENT = "  "


@dataclass(frozen=True, slots=True)
class Column:
    """A column; numbers are right-aligned."""

    heading: str
    right: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells below headings, plus one text per row that may be long.

    If all fits, the text is in the row, before the cells (`leads`) or after them. Otherwise it gets its own line, so
    that no cell is cut.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    texts: Sequence[str]
    heading: str = ""
    """Heading of the texts."""
    leads: bool = False

    def lines(self, columns: int) -> Iterator[str]:
        """The lines; the first one has the headings."""
        safe_rows = [[safe(cell) for cell in row] for row in self.rows]
        texts = [safe(text) for text in self.texts]
        headings = [column.heading for column in self.columns]
        widths = [max(map(width, cells)) for cells in zip(headings, *safe_rows, strict=True)]
        longest = max(map(width, (self.heading, *texts)))
        cells, gaps = sum(widths), len(widths)  # with the one between cells and text
        fits = next((gap for gap in GAPS if cells + gap * gaps + longest <= columns), None)
        alone = next((gap for gap in GAPS if cells + gap * (gaps - 1) <= columns), GAPS[-1])
        in_line = fits is not None
        gap = " " * (fits or alone)

        def joined(row: Sequence[str]) -> str:
            return gap.join(
                f"{'':{size - width(cell)}}{cell}" if column.right else f"{cell}{'':{size - width(cell)}}"
                for column, cell, size in zip(self.columns, row, widths, strict=True)
            )

        for number, row in enumerate([headings, *safe_rows]):
            text = texts[number - 1] if number else self.heading
            if in_line and self.leads:
                yield f"{text}{'':{longest - width(text)}}{gap}{joined(row)}".rstrip()
            elif in_line:
                yield f"{joined(row)}{gap}{text}".rstrip()
            elif self.leads:
                yield from ([text] if number else [])
                yield joined(row).rstrip()
            else:
                yield joined(row).rstrip()
                yield from (INDENT + line for line in folded(text, columns - len(INDENT)) if number)


def folded(text: str, columns: int) -> Iterator[str]:
    """Wrap a safe text, if possible between words."""
    line = ""
    for word in text.split(" "):
        if line and width(line) + 1 + width(word) > columns:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        while width(line) > columns:
            first = head(line, max(columns, 1)) or line[0]
            yield first
            line = line[len(first) :]
    if line:
        yield line
