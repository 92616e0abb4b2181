"""From a JSON Schema to Python types. A type accepts at least what the schema accepts, as far as types can express it.

An object with fields becomes a named class. The schema is read iteratively, so that recursive and deep schemas cost no
more than others. `Any` stands for everything that types cannot express.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock_generate.kinds.pipeline.producer import schema_parts
from penstock_generate.kinds.pipeline.producer.scalar_types import ANY, SCALARS, only, union
from penstock_generate.kinds.pipeline.producer.schema_parts import Part

DEEPEST = 32
"""The limit of nested types, and of references in a row."""
LONGEST = 400
"""The limit of a readable type, in characters."""
LONGEST_NAME = 40
ROOT = "Message"
RESERVED = frozenset({*dir(builtins), *keyword.kwlist, ROOT, "Any", "Client", "Literal", "NotRequired", "Protocol",
                   "TypedDict", "ENVIRONMENT", "FIELD", "PIPELINE", "STREAM"})  # fmt: skip
"""Names that the module uses itself."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object."""

    name: str
    type: str
    required: bool
    vague: bool
    """Whether the schema restricts the value but the type does not."""
    description: str


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An object with fields."""

    name: str
    fields: tuple[Field, ...]
    description: str


class ObjectTypes:
    """The objects of one schema, the message's first."""

    objects: list[ObjectType]
    alias: str | None
    """The type of a message that is no object with fields."""

    def __init__(self, schema: Part) -> None:
        """Find all objects."""
        self._schema = schema
        self._types: dict[int, str] = {}  # by schema: each is visited once
        self._names = {*RESERVED}
        self._to_build: list[tuple[str, list[Part]]] = []
        self.objects = []
        message = self._of(schema, ROOT, 0)
        for name, parts in self._to_build:  # it grows during the loop
            self.objects.append(ObjectType(name, tuple(self._fields(parts)), schema_parts.description(parts[0])))
        names = {one.name for one in self.objects}
        are_objects = all(one in names or one.startswith("dict[") for one in message.split(" | "))
        self.alias = None if ROOT in names else message if are_objects else f"dict[str, {ANY}]"

    def _of(self, part: object, called: str, depth: int) -> str:
        if not isinstance(part, dict) or depth > DEEPEST:
            return ANY
        if id(part) not in self._types:
            self._types[id(part)] = ANY  # for references from inside
            type_ = self._type(part, called, depth + 1)
            self._types[id(part)] = type_ if len(type_) <= LONGEST else ANY
        return self._types[id(part)]

    def _type(self, part: Part, called: str, depth: int) -> str:
        reference = part.get("$ref")
        if part is not self._schema and isinstance(reference, str) and part.keys() <= schema_parts.IGNORED | {"$ref"}:
            return self._of(schema_parts.target(self._schema, reference), reference.rpartition("/")[2] or called, depth)
        parts = list(schema_parts.applying(self._schema, part))
        values = next(filter(None, map(schema_parts.values, parts)), None)
        if values:
            return only(values, LONGEST)
        types = schema_parts.types(parts)
        if not any(schema_parts.mapping(one, "properties") for one in parts):
            chosen = self._choice(parts, called, depth)
            if chosen != ANY:
                return chosen
        return union(self._named(name, parts, called, depth) for name in types)

    def _choice(self, parts: list[Part], called: str, depth: int) -> str:
        for choices in (schema_parts.listed(one, key) for one in parts for key in schema_parts.CHOICES):
            type_ = union(self._of(choice, f"{called}{n}", depth) for n, choice in enumerate(choices, 1))
            if type_ != ANY:
                return type_
        return ANY

    def _named(self, name: str, parts: list[Part], called: str, depth: int) -> str:
        """One of JSON's types, with the types inside it."""
        match name:
            case "array":
                items = next((one["items"] for one in parts if "items" in one), None)
                mixed = any("prefixItems" in one for one in parts)
                return f"list[{ANY if mixed else self._of(items, f'{called}Item', depth)}]"
            case "object" if any(schema_parts.mapping(one, "properties") for one in parts):
                return self._shape(parts, called)
            case "object":
                more = next((one["additionalProperties"] for one in parts if "additionalProperties" in one), None)
                patterns = any("patternProperties" in one for one in parts)
                return f"dict[str, {ANY if patterns else self._of(more, f'{called}Value', depth)}]"
            case _:
                return SCALARS.get(name, ANY)

    def _shape(self, parts: list[Part], called: str) -> str:
        name = ROOT if parts[0] is self._schema else self._free(called)
        self._to_build.append((name, parts))
        return name

    def _free(self, called: str) -> str:
        words = re.findall("[A-Za-z0-9]+", called)
        base = "".join(word[:1].upper() + word[1:] for word in words)[:LONGEST_NAME]
        base = base if base[:1].isalpha() else f"Part{base}"
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}{number}"
        self._names.add(name)
        return name

    def _fields(self, parts: list[Part]) -> Iterator[Field]:
        required = {name for one in parts for name in schema_parts.listed(one, "required") if isinstance(name, str)}
        always = _by_name(parts)
        for name, inner in always.items():
            types = [self._of(one, name, 0) for one in inner]
            type_ = next((one for one in types if one != ANY), ANY)
            yield Field(name, type_, name in required, _is_vague(type_, inner), schema_parts.description(inner[0]))
        for name, inner in _by_name(schema_parts.sometimes_applying(self._schema, parts)).items():
            if name not in always:
                type_ = union(self._of(one, name, 0) for one in inner)
                yield Field(name, type_, required=False, vague=_is_vague(type_, inner), description="")


def _by_name(parts: Iterator[Part] | list[Part]) -> dict[str, list[object]]:
    schemas: dict[str, list[object]] = {}
    for part in parts:
        for name, inner in schema_parts.mapping(part, "properties").items():
            schemas.setdefault(name, []).append(inner)
    return schemas


def _is_vague(type_: str, inner: list[object]) -> bool:
    return type_ == ANY and any(map(schema_parts.restricts, inner))
