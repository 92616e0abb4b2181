"""What comes back from entry fields: text, but for fields whose type the schema says and that cannot be text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock_spec.kinds.pipeline.message.message_schema import read
from penstock_spec.kinds.pipeline.message.schema_check import resolve_reference

_NAMES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null", list: "array"}


@dataclass(frozen=True, slots=True)
class FieldTypes:
    """The types that a schema gives to the fields of a body. What it leaves open has none."""

    named: dict[str, frozenset[str]]
    others: frozenset[str]
    """Of fields that it does not name, where it says something of these."""

    @classmethod
    def of(cls, schema: dict[str, Any]) -> FieldTypes:
        """As far as the schema says it of the body, or of what it refers to and puts together."""
        said: dict[str, set[str]] = {}
        others: set[str] = set()
        for part in _parts(schema):
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, dict) else ():
                said.setdefault(name, set()).update(_types(schema, inner))
            others.update(_types(schema, part.get("additionalProperties")))
        return cls({name: frozenset(types) for name, types in said.items()}, frozenset(others))

    def __getitem__(self, name: str) -> frozenset[str]:
        """Of one field."""
        return self.named.get(name, self.others)


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All that speaks of the body itself: the schema, what it refers to, and what it puts together; each part once."""
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
    said = read(schema, part).types
    yield from said
    if not said:
        values = part.get("enum", [part["const"]] if "const" in part else [])
        yield from (_NAMES.get(type(one), "object") for one in values)
