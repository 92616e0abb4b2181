"""Checks whether a value is a JSON Schema that pods can use without network access, and where it is not."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn

import jsonschema_rs as compiled

from penstock_spec.fields import nearest
from penstock_spec.reading import Path
from penstock_spec.values.strings import printable

DEEPEST = 64
"""The maximum nesting. Specs are limited to fewer levels, but Python reads files beside them."""

DRAFTS = {
    "https://json-schema.org/draft/2020-12/schema": compiled.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": compiled.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": compiled.Draft7Validator,
    "http://json-schema.org/draft-06/schema": compiled.Draft6Validator,
    "http://json-schema.org/draft-04/schema": compiled.Draft4Validator,
}
NEWEST = next(iter(DRAFTS))
TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")

NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
LISTED = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
SINGLE = (
    "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip

_COUNT = "a whole number, 0 or more"
EXPECTED = {
    "required": "a list of names, each of them once",
    "enum": "a list of values",
    "pattern": "a regular expression",
    "properties": "names with a schema each",
    "patternProperties": "regular expressions with a schema each",
    "$defs": "names with a schema each",
    "items": "a schema",
    "additionalProperties": "`true`, `false` or a schema",
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), "a list of schemas, at least one"),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "a number"),
    "multipleOf": "a number above 0",
}


CACHE_SIZE = 16
"""The number of cached schemas: several rules check the same one in each environment."""


class SchemaProblem(NamedTuple):
    """A problem of a schema and its path inside the schema."""

    path: Path
    says: str
    hint: str


_cache: dict[str, SchemaProblem | None] = {}


def schema_problem(schema: object) -> SchemaProblem | None:
    """The first problem of a schema, or None. It never raises and never uses the network."""
    try:
        key = repr(schema)
    except RecursionError:
        return _check(schema)
    if key not in _cache:
        if len(_cache) >= CACHE_SIZE:
            _cache.clear()
        _cache[key] = _check(schema)
    return _cache[key]


def _check(schema: object) -> SchemaProblem | None:
    if not isinstance(schema, dict):
        return SchemaProblem(
            (), f"`{printable(json.dumps(schema)[:80])}` is not a schema", "write an object with `type: object`"
        )
    deep = _too_deep(schema)
    if deep is not None:
        return SchemaProblem(deep, f"it is nested deeper than {DEEPEST} levels", "split it with `$defs` and `$ref`")
    invalid = next(_not_json(schema), None)
    if invalid is not None:
        says = f"`{printable(repr(invalid[1]).strip(chr(39)), 40)}` does not exist in JSON"
        return SchemaProblem(invalid[0], says, "write a finite number, or plain text")
    draft = DRAFTS.get(str(schema.get("$schema", NEWEST)).rstrip("#"))
    if draft is None:
        says = f"`{printable(schema['$schema'])}` is not a supported draft of JSON Schema"
        return SchemaProblem(("$schema",), says, f"write `{NEWEST}`, or remove it")
    try:
        draft(json.dumps(schema), retriever=_refuse)
    except compiled.ValidationError as error:
        return _explain(schema, error)
    return None


def _refuse(uri: str) -> NoReturn:
    raise ValueError(uri)


def _too_deep(schema: object) -> Path | None:
    level: list[tuple[Path, Any]] = [((), schema)]
    for _ in range(DEEPEST):
        level = [
            ((*path, key) if len(path) < 2 else path, inner)  # noqa: PLR2004 - a path of 64 steps would not be useful
            for path, value in level
            for key, inner in (
                value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            )
        ]
    return level[0][0] if level else None


def _not_json(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Values that JSON cannot express: numbers that are not finite, lone surrogates."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _not_json(key, path)
            yield from _not_json(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _not_json(inner, (*path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        yield path, float(value)
    elif isinstance(value, str) and any("\ud800" <= one <= "\udfff" for one in value):
        yield path, value


def _follow(schema: dict[str, Any], steps: list[Any]) -> tuple[Path, Any]:
    """Follow the steps as far as possible: the compiler reports numeric keys as numbers and omits empty keys."""
    path: Path = ()
    value: Any = schema
    for step in steps:
        key = str(step) if isinstance(value, dict) else step
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            break
        path = (*path, key)
    return path, value


def _explain(schema: dict[str, Any], error: compiled.ValidationError) -> SchemaProblem:
    path, value = _follow(schema, error.instance_path)
    if not path:
        return next(_broken_references(schema), None) or SchemaProblem(
            (), printable(error.message, 200), "write a valid JSON Schema"
        )
    text = printable(value if isinstance(value, str) else json.dumps(value), 40)
    if any(at == path for at, _ in schemas(schema)):
        return SchemaProblem(path, f"`{text}` is not a schema", "write one, such as `{type: string}`")
    keyword = next(str(step) for step in reversed(path) if isinstance(step, str))
    says = f"`{printable(keyword)}` cannot be `{text}`"
    if keyword == "type":
        close = nearest(value, TYPES) if isinstance(value, str) else None
        every = ", ".join(f"`{one}`" for one in TYPES)
        return SchemaProblem(path, says, f"write `{close}`" if close else f"write one of {every}, or a list of them")
    return SchemaProblem(path, says, f"write {EXPECTED.get(keyword, 'a value that JSON Schema allows')}")


def _broken_references(schema: dict[str, Any]) -> Iterator[SchemaProblem]:
    """References that lead nowhere or out of the schema."""
    every = [(path, part) for path, part in schemas(schema) if isinstance(part, dict)]
    names = {f"#{part[key]}" for _, part in every for key in ("$anchor", "$dynamicAnchor") if key in part}
    for path, part in every:
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            target = part.get(key)
            if (
                not isinstance(target, str)
                or target in names
                or target == "#"
                or resolve_reference(schema, target) is not None
            ):
                continue
            if target.startswith("#"):
                close = nearest(
                    target, [f"#/{at}/{one}" for at in ("$defs", "definitions") for one in _keys(schema, at)]
                )
                hint = f"write `{close}`" if close else "define it under `$defs` and write `#/$defs/<name>`"
                yield SchemaProblem((*path, key), f"`{printable(target)}` does not exist", hint)
            else:
                says = f"`{printable(target)}` is outside the schema, but pods validate without network access"
                yield SchemaProblem((*path, key), says, "copy it to `$defs` and write `#/$defs/<name>`")


def resolve_reference(schema: object, target: object) -> object:
    """The part of the schema that a `#/...` reference names, or None."""
    if not isinstance(target, str) or not target.startswith("#/"):
        return None
    for step in target[2:].split("/"):
        word = step.replace("~1", "/").replace("~0", "~")
        if isinstance(schema, list) and word.isdecimal() and len(word) < 6 and int(word) < len(schema):  # noqa: PLR2004 - no list is that long
            schema = schema[int(word)]
        else:
            schema = schema.get(word) if isinstance(schema, dict) else None
    return schema


def _keys(schema: dict[str, Any], at: str) -> list[str]:
    inner = schema.get(at)
    return list(inner) if isinstance(inner, dict) else []


def schemas(schema: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """All paths at which a schema is nested, with the nested schemas, up to the maximum depth."""
    yield path, schema
    if not isinstance(schema, dict) or len(path) > 2 * DEEPEST:
        return
    for key, value in schema.items():
        if key in NAMED and isinstance(value, dict):
            for name, inner in value.items():
                if not (key == "dependencies" and isinstance(inner, list)):
                    yield from schemas(inner, (*path, key, name))
        elif key in LISTED and isinstance(value, list):
            for index, inner in enumerate(value):
                yield from schemas(inner, (*path, key, index))
        elif key in SINGLE:
            yield from schemas(value, (*path, key))
