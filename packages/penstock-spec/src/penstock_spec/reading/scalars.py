"""The values of plain words by the core schema of YAML 1.2: `no`, `on` and `12:30` are text."""

from __future__ import annotations

import re
from typing import Self, TypeAlias

NULLS = frozenset({"", "~", "null", "Null", "NULL"})
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
WHOLE = re.compile(r"[-+]?[0-9]+")
OCTAL = re.compile(r"0o[0-7]+")
HEX = re.compile(r"0x[0-9a-fA-F]+")
FRACTION = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"([-+]?\.(inf|Inf|INF))|\.(nan|NaN|NAN)")
STARTERS = frozenset("0123456789+-.")
LONGEST_WHOLE = 100  # digits; Python refuses to convert beyond 4,300, and no field is that large


class ExactFloat(float):
    """A fraction that keeps its text: the version `1.30` is not `1.3`."""

    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number and keep the text."""
        number = super().__new__(cls, text.replace(".inf", "inf").replace(".nan", "nan"))
        number.text = text
        return number

    def __str__(self) -> str:
        """As written."""
        return self.text


Scalar: TypeAlias = str | int | float | bool | None


def plain(word: str) -> Scalar:
    """The value of a plain (unquoted) scalar."""
    if word in NULLS:
        return None
    if word in BOOLEANS:
        return BOOLEANS[word]
    return _number(word) if word[0] in STARTERS else word


def _number(word: str) -> Scalar:
    if FRACTION.fullmatch(word) and not WHOLE.fullmatch(word):
        return ExactFloat(word)
    if NOT_FINITE.fullmatch(word):
        return ExactFloat(word.lower())
    if len(word) <= LONGEST_WHOLE:
        for pattern, base in ((WHOLE, 10), (OCTAL, 8), (HEX, 16)):
            if pattern.fullmatch(word):
                return int(word, base)
    return word
