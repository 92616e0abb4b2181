"""Merges two schemas that apply to one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]


def merged(one: Schema, other: object) -> Schema:
    """Both schemas as one. Unknown keywords come from the second; the message is validated at the end."""
    if other is False:
        return {**one, "enum": []}
    if not isinstance(other, dict):
        return one
    both = {**one, **other}
    for key in one.keys() & other.keys():
        if key in _TOGETHER:
            both[key] = _TOGETHER[key](one[key], other[key])
    values = both.get("enum")
    if "const" in one and "const" in other and one["const"] != other["const"]:
        both = {**both, "enum": []}
        del both["const"]
    elif values is not None and "const" in both:
        both["enum"] = [value for value in values if value == both["const"]]
        del both["const"]
    return both


def _types(one: str | list[str], other: str | list[str]) -> list[str]:
    mine, theirs = ([kinds] if isinstance(kinds, str) else kinds for kinds in (one, other))
    wide = {kind for kinds in (mine, theirs) if "number" in kinds for kind in ("number", "integer")}
    both = [kind for kind in dict.fromkeys([*mine, *theirs]) if kind in mine and kind in theirs]
    return both or [kind for kind in (*mine, *theirs) if kind == "integer" and kind in wide][:1]


def _fields(one: Schema, other: Schema) -> Schema:
    both = {name: {"allOf": [one[name], other[name]]} for name in one.keys() & other.keys()}
    return {**one, **other, **both}


def _names(one: list[str], other: list[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


def _common(one: list[Any], other: list[Any]) -> list[Any]:
    return [value for value in one if value in other]


def _all(one: object, other: object) -> Schema:
    return {"allOf": [one, other]}


def _each(one: list[Any], other: list[Any]) -> list[Any]:
    return [*one, *other]


_LARGER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_SMALLER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_TOGETHER: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "properties": _fields,
    "patternProperties": _fields,
    "required": _names,
    "enum": _common,
    "allOf": _each,
    **dict.fromkeys(("items", "additionalProperties", "contains", "propertyNames"), _all),
    **dict.fromkeys(_LARGER, max),
    **dict.fromkeys(_SMALLER, min),
}
