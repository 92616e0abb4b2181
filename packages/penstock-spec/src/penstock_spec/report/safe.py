"""Text from a file, made safe to show: nothing in it may move the cursor, reorder the line or colour the screen."""

from __future__ import annotations

import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
WIDE = frozenset({"W", "F"})


def safe(text: str) -> str:
    """Every character that is not simply seen becomes its escape; a tab becomes a space."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(one) for one in text)


def _seen(one: str) -> str:
    if one == "\t":
        return " "
    return f"\\u{ord(one):04x}" if unicodedata.category(one) in HIDDEN else one


def width(text: str) -> int:
    """Columns of a terminal that a safe text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in WIDE else 1 for one in text
    )
