"""The parts of a JSON Schema that speak of one value, and what each says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock_spec.kinds.pipeline.message.schema_check import resolve_reference

Part = dict[str, Any]

CHOICES = ("anyOf", "oneOf")
SAYS_NOTHING = frozenset({"$comment", "$defs", "$id", "$schema", "default", "definitions", "deprecated", "description",
                          "examples", "readOnly", "title", "writeOnly"})  # fmt: skip


def target(schema: Part, reference: object) -> object:
    """What a reference leads to, or nothing."""
    return schema if reference == "#" else resolve_reference(schema, reference)


def together(schema: Part, part: object) -> Iterator[Part]:
    """All that holds of a value at once, the part itself first."""
    left, seen = [part], set()
    while left:
        one = left.pop(0)
        if isinstance(one, dict) and id(one) not in seen:
            seen.add(id(one))
            yield one
            left += [target(schema, one.get("$ref")), *listed(one, "allOf")]


def at_times(schema: Part, parts: Iterable[Part]) -> Iterator[Part]:
    """What holds of the value that these speak of in some cases."""
    for one in parts:
        for key in (*CHOICES, "if", "then", "else"):
            inner = one.get(key)
            for choice in inner if isinstance(inner, list) else [inner]:
                yield from together(schema, choice)


def values(part: Part) -> list[Any]:
    """The only ones that it takes; none where it does not say so."""
    return [part["const"]] if "const" in part else listed(part, "enum")


def types(parts: list[Part]) -> list[str]:
    """JSON's types, as the first says them. Where none does: what has fields is meant to be an object, and so on."""
    for one in parts:
        if "type" in one:
            return [name for name in (listed(one, "type") or [one["type"]]) if isinstance(name, str)]
    for key, name in (("properties", "object"), ("items", "array"), ("prefixItems", "array")):
        if any(key in one for one in parts):
            return [name]
    return []


def says_something(part: object) -> bool:
    """Whether it refuses anything, as far as its keywords tell."""
    return isinstance(part, dict) and not part.keys() <= SAYS_NOTHING


def description(part: object) -> str:
    """What people are told of it."""
    says = part.get("description") if isinstance(part, dict) else None
    return says if isinstance(says, str) else ""


def mapping(part: Part, key: str) -> Part:
    """What is said under a keyword by name."""
    value = part.get(key)
    return value if isinstance(value, dict) else {}


def listed(part: Part, key: str) -> list[Any]:
    """What is said under a keyword in a list."""
    value = part.get(key)
    return value if isinstance(value, list) else []
