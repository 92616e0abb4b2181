"""Random values from the parts of a schema."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

from penstock_dev.sample.errors import SampleError
from penstock_dev.sample.merge import merged
from penstock_dev.sample.numbers import number
from penstock_dev.sample.texts import text
from penstock_spec.kinds.pipeline.message.schema_check import resolve_reference

MAX_DEPTH = 24
OPTIONAL_DEPTH = 3
"""Levels with optional fields."""
OPTIONAL_ITEMS = 2
"""Optional items of a list."""

Schema = dict[str, Any]


class SampleMaker:
    """Generates one message."""

    def __init__(self, root: Schema, random: Random, *, full: bool) -> None:
        """With `full`, include optional fields."""
        self._root = root
        self._random = random
        self._full = full

    def body(self) -> dict[str, Any]:
        """The message."""
        value = self.value({"type": "object", "allOf": [self._root]}, "", 0)
        assert isinstance(value, dict)  # noqa: S101 - by its type
        return value

    def value(self, part: object, name: str, depth: int) -> Any:  # noqa: ANN401 - any value of JSON
        """A value for a part of the schema; texts resemble the name of their field."""
        if part is False or depth > MAX_DEPTH:
            raise SampleError("it is nested too deeply" if depth > MAX_DEPTH else f"`{name}` allows no value")
        one = self._choice(part if isinstance(part, dict) else {})
        if "const" in one or "enum" in one:
            return self._one_of([one["const"]] if "const" in one else one["enum"])
        kinds = _kinds(one)
        if not kinds:
            raise SampleError(f"{f'`{name}`' if name else 'it'} has contradictory types")
        kind = self._random.choice([kind for kind in kinds if kind != "null"] or ["null"])
        match kind:
            case "object":
                return self._object(one, depth)
            case "array":
                return self._array(one, name, depth)
            case "string" | "integer" | "number":
                return self._plain(kind, one, name)
            case _:
                return None if kind == "null" else self._random.choice([True, False])

    def _plain(self, kind: str, one: Schema, name: str) -> str | float:
        try:
            if kind == "string":
                return text(one, name, self._random)
            return number(one, self._random, integer=kind == "integer")
        except SampleError as why:
            raise SampleError(f"`{name}` {why}") from None

    def _choice(self, part: Schema) -> Schema:
        """The part with its references resolved and its choices made."""
        one = part
        for _ in range(MAX_DEPTH):
            if "$ref" in one:
                target = self._root if one["$ref"] == "#" else resolve_reference(self._root, one["$ref"])
                if target is None:
                    raise SampleError(f"`{one['$ref']}` cannot be resolved")
                one = merged({key: value for key, value in one.items() if key != "$ref"}, target)
                continue
            together = one.get("allOf", [])
            either = [self._one_of(one[key]) for key in ("anyOf", "oneOf") if key in one]
            either += self._condition(one)
            if not together and not either:
                return one
            rest = {key: value for key, value in one.items() if key not in _CHOICES}
            for other in [*together, *either]:
                rest = merged(rest, other)
            one = rest
        raise SampleError("it is infinitely recursive")

    def _condition(self, one: Schema) -> list[object]:
        if "if" not in one:
            return []
        holds = merged(one["if"] if isinstance(one["if"], dict) else {}, one.get("then", {}))
        return [self._random.choice([holds, one.get("else", {})])]

    def _object(self, one: Schema, depth: int) -> dict[str, Any]:
        named: Schema = one.get("properties", {})
        body: dict[str, Any] = {}
        for name in one.get("required", []):
            body[name] = self.value(self._field(one, name), name, depth + 1)
        for name, part in named.items():
            wanted = self._full and depth < OPTIONAL_DEPTH and self._random.random() < 0.5  # noqa: PLR2004 - every second one
            if name not in body and wanted and len(body) < one.get("maxProperties", len(named) + len(body)):
                try:
                    body[name] = self.value(part, name, depth + 1)
                except SampleError:  # an optional field is omitted
                    continue
        self._fill(one, body, depth)
        return {name: body[name] for name in sorted(body, key=[*named, *body].index)}

    def _fill(self, one: Schema, body: dict[str, Any], depth: int) -> None:
        """Add fields up to the minimum number."""
        names = [name for name in one.get("properties", {}) if name not in body]
        for count in range(one.get("minProperties", 0) * 2):
            if len(body) >= one.get("minProperties", 0):
                return
            patterns = list(one.get("patternProperties", {}))
            if names:
                name = names.pop(0)
            elif patterns:
                name = text({"pattern": patterns[0]}, "", self._random)
            else:
                name = text(merged(one.get("propertyNames", {}), {"type": "string"}), f"field{count}", self._random)
            body[name] = self.value(self._field(one, name), name, depth + 1)

    def _field(self, one: Schema, name: str) -> object:
        """The schema of a field, by name, by pattern, or for all others."""
        parts = [one["properties"][name]] if name in one.get("properties", {}) else []
        for pattern, part in one.get("patternProperties", {}).items():
            try:
                parts += [part] if re.search(pattern, name) else []
            except re.error:  # Python supports fewer patterns; the message is validated at the end
                continue
        if not parts:
            return one.get("additionalProperties", {})
        return parts[0] if len(parts) == 1 else {"allOf": parts}

    def _array(self, one: Schema, name: str, depth: int) -> list[Any]:
        prefix, rest = _places(one)
        least: int = max(one.get("minItems", 0), one.get("minContains", 1) if "contains" in one else 0)
        most: int = one.get("maxItems", max(least, len(prefix)) + OPTIONAL_ITEMS)
        wanted = (
            min(most, self._random.randint(least, least + OPTIONAL_ITEMS))
            if self._full and depth < OPTIONAL_DEPTH
            else least
        )
        if rest is False:
            wanted = min(wanted, len(prefix))
        items: list[Any] = []
        for number_ in range(wanted * 8):
            if len(items) >= wanted:
                break
            part = prefix[len(items)] if len(items) < len(prefix) else rest
            if "contains" in one and number_ < one.get("minContains", 1):
                part = merged(part if isinstance(part, dict) else {}, one["contains"])
            item = self.value(part, _single(name), depth + 1)
            if not one.get("uniqueItems") or json.dumps(item) not in map(json.dumps, items):
                items.append(item)
        return items

    def _one_of(self, choices: list[Any]) -> Any:  # noqa: ANN401 - as `value`
        if not choices:
            raise SampleError("no value is possible")
        return self._random.choice(choices)


_CHOICES = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else"})
_BY_KEYWORD = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "uniqueItems", "contains"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


def _kinds(one: Schema) -> list[str]:
    """The given types, or those that the other keywords imply, or a string."""
    given = one.get("type")
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    return [kind for kind, words in _BY_KEYWORD.items() if any(word in one for word in words)][:1] or ["string"]


def _places(one: Schema) -> tuple[list[Any], object]:
    """The schemas of items by position, and of all others; before 2020 the keywords were different."""
    items = one.get("items", {})
    if isinstance(items, list):
        return items, one.get("additionalItems", {})
    return one.get("prefixItems", []), items


def _single(name: str) -> str:
    return name.removesuffix("s")
