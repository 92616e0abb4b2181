"""Formats text and numbers for the screen. Names and log lines are untrusted: control characters are made visible."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from penstock_spec.report.safe import safe
from penstock_spec.values import display

__all__ = ["count", "cut", "folded", "handling", "padded", "rate", "safe", "seconds"]


def cut(text: str, columns: int) -> str:
    """Safe text, cut with an ellipsis if it is wider than `columns`."""
    shown = safe(text)
    if cell_len(shown) <= columns:
        return shown
    return f"{_start(shown, columns - 1)}…" if columns > 0 else ""


def _start(text: str, columns: int) -> str:
    fits = set_cell_size(text, columns)
    return fits if text.startswith(fits) else fits[:-1]  # half of a wide character became a blank


def padded(text: str, columns: int) -> str:
    """As `cut`, padded to `columns`."""
    fits = cut(text, columns)
    return fits + " " * (columns - cell_len(fits))


def folded(text: str, columns: int, most: int) -> list[str]:
    """Wrapped at blanks into at most `most` lines, with an ellipsis if text is missing."""
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
    """A span of time, in at most six columns."""
    return "-" if span is None else display.span(span * 1000)


def handling(span: float | None) -> str:
    """A handling time, in at most six columns."""
    return "-" if span is None else display.latency(span * 1000)


count, rate = display.count, display.rate
