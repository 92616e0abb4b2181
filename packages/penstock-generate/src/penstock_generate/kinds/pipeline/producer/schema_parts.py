"""Reads the parts of a JSON Schema that apply to one value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock_spec.kinds.pipeline.message.schema_check import resolve_reference

Part = dict[str, Any]

CHOICES = ("anyOf", "oneOf")
IGNORED = frozenset({"$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated", "description",
                     "examples", "readOnly", "title", "writeOnly"})  # fmt: skip
"""Keywords that refuse no value."""


def target(schema: Part, reference: object) -> object:
    """The schema that a reference points to, or None."""
    return schema if reference == "#" else resolve_reference(schema, reference)


def applying(schema: Part, part: object) -> Iterator[Part]:
    """All schemas that apply to a value at once, the schema itself first."""
    left, seen = [part], set()
    while left:
        one = left.pop(0)
        if isinstance(one, dict) and id(one) not in seen:
            seen.add(id(one))
            yield one
            left += [target(schema, one.get("$ref")), *listed(one, "allOf")]


def sometimes_applying(schema: Part, parts: Iterable[Part]) -> Iterator[Part]:
    """Schemas that apply to the value in some cases."""
    for one in parts:
        for key in (*CHOICES, "if", "then", "else"):
            inner = one.get(key)
            for choice in inner if isinstance(inner, list) else [inner]:
                yield from applying(schema, choice)


def values(part: Part) -> list[Any]:
    """The only values that these schemas accept; empty if they name none."""
    return [part["const"]] if "const" in part else listed(part, "enum")


def types(parts: list[Part]) -> list[str]:
    """The JSON types of the first schema that names some, or those that keywords imply (`properties`: object)."""
    for one in parts:
        if "type" in one:
            return [name for name in (listed(one, "type") or [one["type"]]) if isinstance(name, str)]
    for key, name in (("properties", "object"), ("items", "array"), ("prefixItems", "array")):
        if any(key in one for one in parts):
            return [name]
    return []


def restricts(part: object) -> bool:
    """Whether its keywords refuse anything."""
    return isinstance(part, dict) and not part.keys() <= IGNORED


def description(part: object) -> str:
    """Its description for people."""
    text = part.get("description") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def mapping(part: Part, key: str) -> Part:
    """A keyword's value as a mapping."""
    value = part.get(key)
    return value if isinstance(value, dict) else {}


def listed(part: Part, key: str) -> list[Any]:
    """A keyword's value as a list."""
    value = part.get(key)
    return value if isinstance(value, list) else []
