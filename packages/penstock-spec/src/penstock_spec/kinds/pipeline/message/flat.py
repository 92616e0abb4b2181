"""The types of body fields with `encoding: fields`, by the schema. Entry fields are text and must be converted back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock_spec.kinds.pipeline.message.message_schema import read
from penstock_spec.kinds.pipeline.message.schema_check import resolve_reference

_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null", list: "array"}


@dataclass(frozen=True, slots=True)
class FieldTypes:
    """The types of body fields in a schema. A field with no type in the schema has an empty set."""

    named: dict[str, frozenset[str]]
    others: frozenset[str]
    """The types of fields that it does not name, from `additionalProperties`."""

    @classmethod
    def of(cls, schema: dict[str, Any]) -> FieldTypes:
        """Collect the types from the schema, its references and its combined parts."""
        named: dict[str, set[str]] = {}
        others: set[str] = set()
        for part in _parts(schema):
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, dict) else ():
                named.setdefault(name, set()).update(_types(schema, inner))
            others.update(_types(schema, part.get("additionalProperties")))
        return cls({name: frozenset(types) for name, types in named.items()}, frozenset(others))

    def __getitem__(self, name: str) -> frozenset[str]:
        """The types of one field."""
        return self.named.get(name, self.others)


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All parts of the schema that describe the body itself: references and combined parts included, each part once."""
    left: list[object] = [schema]
    seen: set[int] = set()
    while left:
        part = left.pop()
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        left += [resolve_reference(schema, part.get("$ref")), *(part.get(key) for key in ("if", "then", "else"))]
        for key in ("allOf", "anyOf", "oneOf"):
            choices = part.get(key)
            left += choices if isinstance(choices, list) else []


def _types(schema: dict[str, Any], part: object) -> Iterator[str]:
    if not isinstance(part, dict):
        return
    types = read(schema, part).types
    yield from types
    if not types:
        values = part.get("enum", [part["const"]] if "const" in part else [])
        yield from (_NAMES.get(type(one), "object") for one in values)
