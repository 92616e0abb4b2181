"""Texts and numbers of the screen. Whatever a name or a log line holds, it is shown as letters and moves nothing."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from penstock.operating import spans
from penstock_spec.report.safe import safe

__all__ = ["count", "cut", "folded", "handling", "padded", "rate", "safe", "seconds"]


def cut(text: str, columns: int) -> str:
    """Safe, and no wider than there is room; what is missing is seen to be missing."""
    whole = safe(text)
    if cell_len(whole) <= columns:
        return whole
    return f"{_start(whole, columns - 1)}…" if columns > 0 else ""


def _start(text: str, columns: int) -> str:
    fits = set_cell_size(text, columns)
    return fits if text.startswith(fits) else fits[:-1]  # a blank stands there for half a letter


def padded(text: str, columns: int) -> str:
    """As `cut`, and as wide as there is room."""
    fits = cut(text, columns)
    return fits + " " * (columns - cell_len(fits))


def folded(text: str, columns: int, most: int) -> list[str]:
    """Over a few lines, at blanks where there are any; what is missing at the end is seen to be missing."""
    rest = safe(text)
    lines: list[str] = []
    while rest and len(lines) < most:
        fits = cut(rest, columns)
        if fits != rest and len(lines) + 1 < most:
            fits = fits.removesuffix("…")
            fits = fits[: fits.rfind(" ")] if " " in fits.strip() else fits
        lines.append(fits)
        rest = rest[len(fits) :].lstrip() if fits else ""
    return lines


def seconds(span: float | None) -> str:
    """How long, in at most six columns."""
    return "-" if span is None else spans.span(span * 1000)


def handling(span: float | None) -> str:
    """How long handling takes: often less than a tenth of a second, which says something here."""
    if span is None:
        return "-"
    return f"{span * 1000:.0f}ms" if span < 1 else seconds(span)


count, rate = spans.count, spans.rate
