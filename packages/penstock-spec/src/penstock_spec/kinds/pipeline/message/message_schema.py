"""The body that a message schema describes, inline or in a file beside the spec."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from penstock_spec.context import SpecContext
from penstock_spec.kinds.pipeline.message.schema_check import SchemaProblem, resolve_reference
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import Message, SchemaFromCode
from penstock_spec.reading import Path, Problem, dotted
from penstock_spec.reading.source import LARGEST

DEEPEST = 32
"""The maximum number of nested references that are followed."""


@dataclass(frozen=True, slots=True)
class Body:
    """The fields of a body as described by a schema. All of it is optional."""

    names: frozenset[str] = frozenset()
    """Fields that the schema describes."""
    required: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    """The only allowed fields; None if others are allowed."""
    allows_others: bool = False
    """Whether the schema explicitly allows other fields."""
    types: tuple[str, ...] = ()
    """The allowed types; empty if the schema does not restrict them."""


def file_of(subject: SpecContext[Pipeline]) -> str | None:
    """The file with the schema of a model in code, or None for an inline schema."""
    schema = subject.spec.message.schema_
    if not isinstance(schema, SchemaFromCode):
        return None
    return schema.file or f"{subject.spec.name}.message.json"


def schema_of(subject: SpecContext[Pipeline]) -> dict[str, Any]:
    """The schema; empty if it cannot be read."""
    file = file_of(subject)
    if file is None:
        inline = subject.spec.message.schema_
        return inline if isinstance(inline, dict) else {}
    raw = subject.beside(file)
    schema = parse(raw) if raw is not None else None
    return schema if isinstance(schema, dict) else {}


def problem_in_schema(subject: SpecContext[Pipeline], inside: Path, says: str, hint: str) -> Problem:
    """A finding inside an inline schema, or at the name of the schema's file."""
    if file_of(subject) is not None:
        return subject.problem(
            "message.schema.file" if subject.is_set("message.schema.file") else "message.schema.model", says, hint
        )
    full_path: Path = ("message", "schema", *inside)
    return Problem("", subject.layers.at(full_path), says, hint, dotted(full_path))


@lru_cache(maxsize=16)
def parse(raw: bytes) -> object:
    """The value in a JSON file, or a `SchemaProblem`."""
    try:
        if len(raw) > LARGEST:
            raise ValueError(len(raw))  # noqa: TRY301 - one exit for everything that cannot be read
        value = json.loads(raw.decode("utf-8"), parse_constant=_not_json)
        json.dumps(value, ensure_ascii=False).encode()  # raises for lone surrogates, which escapes can express
    except json.JSONDecodeError as error:
        return SchemaProblem((), f"it is not JSON: {error.msg} in line {error.lineno}", "")
    except (ValueError, RecursionError):
        return SchemaProblem((), "it is not JSON in UTF-8, or it is too large or nested too deeply", "")
    return value


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def body_of(subject: SpecContext[Pipeline]) -> Body:
    """The body that the schema describes. It is computed once per subject."""
    return subject.once(_body_of)


def _body_of(subject: SpecContext[Pipeline]) -> Body:
    return read(schema_of(subject))


def read(schema: dict[str, Any], part: object = None) -> Body:
    """The body that a schema, or a part of it, describes."""
    return _Reader(schema).read(schema if part is None else part, 0)


class _Reader:
    """Reads each part once, so that recursive and repeated references cost nothing."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.seen: dict[int, Body] = {}

    def read(self, part: object, depth: int) -> Body:
        if not isinstance(part, dict) or depth > DEEPEST:
            return Body()
        if id(part) not in self.seen:
            self.seen[id(part)] = Body()
            self.seen[id(part)] = self._read(part, depth + 1)
        return self.seen[id(part)]

    def _read(self, part: dict[str, Any], depth: int) -> Body:
        bodies = [_own(part)]
        bodies += [self.read(resolve_reference(self.schema, part.get("$ref")), depth)]
        bodies += [self.read(one, depth) for one in _list(part.get("allOf"))]
        for key in ("anyOf", "oneOf"):
            choices = [self.read(one, depth) for one in _list(part.get(key))]
            if choices:
                bodies.append(_joined(choices, frozenset.intersection))
        for key in ("if", "then", "else"):
            bodies.append(Body(self.read(part.get(key), depth).names))
        body = _joined(bodies, frozenset.union)
        if part.get("unevaluatedProperties") is False and not body.allows_others:
            return Body(body.names, body.required, body.allowed or body.names, body.allows_others, body.types)
        return body


def _own(part: dict[str, Any]) -> Body:
    properties, patterns = part.get("properties"), part.get("patternProperties")
    names = frozenset(properties if isinstance(properties, dict) else ())
    required = frozenset(one for one in _list(part.get("required")) if isinstance(one, str))
    extra = part.get("additionalProperties", part.get("unevaluatedProperties"))
    types = part.get("type")
    return Body(
        names,
        required,
        names if extra is False and not patterns else None,
        bool(patterns) or extra not in (None, False),
        tuple(one for one in (types if isinstance(types, list) else [types]) if isinstance(one, str)),
    )


def _joined(bodies: list[Body], required: Callable[..., frozenset[str]]) -> Body:
    """Combine bodies. Alternatives require what all of them require, parts of `allOf` what any of them does."""
    all_of = required is frozenset.union
    closed = [one.allowed for one in bodies if one.allowed is not None]
    only = None
    if closed and (all_of or len(closed) == len(bodies)):
        only = frozenset.intersection(*closed) if all_of else frozenset.union(*closed)
    return Body(
        frozenset().union(*(one.names for one in bodies)),
        required(*(one.required for one in bodies)),
        only,
        any(one.allows_others for one in bodies),
        tuple(dict.fromkeys(kind for one in bodies for kind in one.types)),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def used_fields(message: Message) -> Iterator[tuple[str, str]]:
    """The body fields that the spec uses, as pairs of their path in the spec and their name."""
    if message.correlate is not None:
        yield "message.correlate", message.correlate
    if message.dedup is not None:
        yield "message.dedup.by", message.dedup.by
    for index, field in enumerate(message.log_fields):
        yield f"message.log_fields[{index}]", field
