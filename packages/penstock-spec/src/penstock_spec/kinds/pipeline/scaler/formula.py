"""Static checks of a formula of KEDA's scalingModifiers."""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 2000
"""Characters that are checked: formulas are one line, and these patterns are not linear."""

TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?!\s*\()", re.ASCII)
EXPONENT = re.compile(r"(?<=[0-9])[eE]-")
CALL = re.compile(r"([A-Za-z_]*)\(([^()]*)\)")
NOT_NEGATIVE = re.compile(r"\s*[0-9.]+\s*")
WORDS = frozenset({"and", "or", "not", "in", "true", "false", "nil", "let", "matches", "contains"})


@lru_cache(256)
def names_in(formula: str) -> frozenset[str]:
    """The triggers that the formula uses."""
    return frozenset(NAME.findall(TEXT.sub("", formula[:LONGEST]))) - WORDS


@lru_cache(256)
def tolerates_missing(formula: str, name: str) -> bool:
    """True if every use of the name is followed by `??`."""
    bare = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)(?!\s*\?\?)")
    return not bare.search(TEXT.sub("", formula[:LONGEST]))


@lru_cache(256)
def can_be_negative(formula: str) -> bool:
    """True if a minus is outside of `abs` and of any `max` with a number."""
    text = EXPONENT.sub("e", TEXT.sub("", formula[:LONGEST]))
    for _ in range(LONGEST):
        text, calls = CALL.subn(_without_call, text)
        if not calls:
            break
    return "-" in text


def _without_call(call: re.Match[str]) -> str:
    """Replace an innermost call or bracket: with a sign if its result can be negative."""
    name, inside = call.groups()
    clamped = name == "abs" or (name == "max" and any(NOT_NEGATIVE.fullmatch(one) for one in inside.split(",")))
    return "x" if clamped or "-" not in inside else "-x"
