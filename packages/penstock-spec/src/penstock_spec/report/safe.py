"""Make text from files safe to show: it cannot hide, reorder or colour text, or move the cursor."""

from __future__ import annotations

import re
import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
WIDE = frozenset({"W", "F"})
NO_WIDTH = frozenset({"Mn", "Me"})

# Invisible although their category is a letter or a mark: fillers, joiners, variation selectors.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# Hangul vowels and finals, which join the consonant before them.
JOINING = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


def safe(text: str) -> str:
    """Replace invisible characters by escapes, and tabs by spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(one) for one in text)


def _seen(one: str) -> str:
    if one in " \t":
        return " "
    if unicodedata.category(one) in HIDDEN or BLANK.match(one):
        number = f"{ord(one):04x}"
        return f"\\u{number}" if len(number) == len("ffff") else f"\\U{number:0>8}"
    return one


def width(text: str) -> int:
    """The width of a safe text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(_columns(one) for one in text)


def head(text: str, columns: int) -> str:
    """The longest start of a safe text that fits."""
    taken = 0
    for index, one in enumerate(text):
        taken += _columns(one)
        if taken > columns:
            return text[:index]
    return text


def tail(text: str, columns: int) -> str:
    """The longest end of a safe text that fits, without its first combining marks."""
    taken, start = 0, len(text)
    for index in range(len(text) - 1, -1, -1):
        taken += _columns(text[index])
        if taken > columns:
            break
        if _columns(text[index]):
            start = index
    return text[start:]


def _columns(one: str) -> int:
    if unicodedata.category(one) in NO_WIDTH or JOINING.match(one):
        return 0
    return 2 if unicodedata.east_asian_width(one) in WIDE else 1
