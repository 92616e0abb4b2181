"""Python types of single values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock_generate.rendering.python_literals import literal

ANY = "Any"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
"""By JSON type; lists and objects are not scalars."""


def union(types: Iterable[str]) -> str:
    """A union without duplicates, None last."""
    distinct = dict.fromkeys(types)
    if ANY in distinct or not distinct:
        return ANY
    return " | ".join(sorted(distinct, key=lambda one: one == "None"))


def only(values: list[Any], longest: int) -> str:
    """A `Literal` of these values; if there are too many to read, one of their types."""
    exact = dict.fromkeys(literal(one) for one in values if isinstance(one, (str, bool, int)))
    parts = [f"Literal[{', '.join(exact)}]"] if exact else []
    parts += [_kind(one) for one in values if not isinstance(one, (str, bool, int))]
    precise = union(parts)
    return precise if len(precise) <= longest else union(map(_kind, values))


def _kind(value: object) -> str:
    match value:
        case None:
            return "None"
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "str"
        case _:
            return ANY
