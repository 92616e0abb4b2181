"""Text from a file, made safe to show: nothing in it may hide, move the cursor, reorder or colour what is seen."""

from __future__ import annotations

import re
import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
WIDE = frozenset({"W", "F"})
NO_WIDTH = frozenset({"Mn", "Me"})

# Letters and marks by their category, and yet nothing is seen of them: fillers, joiners, selectors of variants.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
# The vowels and finals of Hangul that join the consonant before them.
JOINING = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


def safe(text: str) -> str:
    """Every character that is not simply seen becomes its escape; a tab becomes a space."""
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
    """Columns of a terminal that a safe text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(one) for one in text)


def head(text: str, columns: int) -> str:
    """As much of the start of a safe text as fits."""
    taken = 0
    for index, one in enumerate(text):
        taken += _columns(one)
        if taken > columns:
            return text[:index]
    return text


def tail(text: str, columns: int) -> str:
    """As much of the end of a safe text as fits; it never starts with half a character."""
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
