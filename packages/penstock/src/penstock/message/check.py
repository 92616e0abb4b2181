"""Checks bodies against their schema, with a validator that is compiled once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

import jsonschema_rs as compiled

from penstock.message.body import Value
from penstock.message.error_path import at, error_path, field_names
from penstock.message.unreadable import Unreadable
from penstock_spec.kinds.pipeline.message.schema_check import DRAFTS, NEWEST
from penstock_spec.values.strings import printable

_ANNOTATIONS = frozenset({
    "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
})  # fmt: skip
"""Keywords that refuse no value."""

_MOST_SHOWN = 80


class SchemaCheck:
    """A schema that refuses some values."""

    __slots__ = ("_known", "_validator")

    def __init__(self, schema: dict[str, Any]) -> None:
        """Compile it as lint does: the schema's draft decides on formats, and nothing is downloaded."""
        draft = DRAFTS[str(schema.get("$schema", NEWEST)).rstrip("#")]
        self._validator = draft(json.dumps(schema), retriever=_refuse, mask="the value")
        self._known = field_names(schema)

    def __call__(self, value: Value) -> None:
        """Check a body. Raises Unreadable with the place of the first error and what was expected."""
        try:
            self._validator.validate(value)
        except compiled.ValidationError as raised:
            error = _relevant(raised)
            path = error_path(value, error.instance_path, self._known)
            raise Unreadable("schema", f"{at(path)}{_expected(error)}") from None


def schema_check_of(schema: dict[str, Any]) -> SchemaCheck | None:
    """Return the check of a schema; None if the schema accepts every object, so that it costs nothing."""
    rest = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    return None if rest in ({}, {"type": "object"}) else SchemaCheck(schema)


def _refuse(uri: str) -> NoReturn:
    raise ValueError(uri)


def _relevant(error: compiled.ValidationError) -> compiled.ValidationError:
    """If a value fails several choices, return the error of the only choice whose type is right."""
    near = [one for one in _choices(error) if not _other_type(one, error)]
    return _relevant(near[0]) if len(near) == 1 else error


def _choices(error: compiled.ValidationError) -> list[compiled.ValidationError]:
    context = error.kind.as_dict().get("context", ())
    return [errors[0] for errors in context if errors]


def _other_type(choice: compiled.ValidationError, error: compiled.ValidationError) -> bool:
    return choice.kind.name == "type" and choice.instance_path == error.instance_path


def _expected(error: compiled.ValidationError) -> str:
    choices = _choices(error)
    if choices and all(_other_type(one, error) for one in choices):
        return _types(one for choice in choices for one in choice.kind.as_dict()["types"])
    keyword, details = error.kind.name, error.kind.as_dict()
    if keyword in _DESCRIBE:
        return _DESCRIBE[keyword](details)
    limit = next((details[key] for key in ("limit", "multiple_of", "pattern", "format") if key in details), None)
    return f"it does not match `{keyword}`" if limit is None else f"expected `{keyword}: {_json(limit)}`"


def _types(names: Iterable[str]) -> str:
    return f"expected {' or '.join(sorted(set(names)))}"


def _json(value: object) -> str:
    """Quote a value of the schema, which is not secret."""
    return printable(json.dumps(value, ensure_ascii=False, default=str), _MOST_SHOWN)


def _too_much(details: dict[str, Any]) -> str:
    del details  # they contain the sender's names
    return "it contains something that the schema does not allow"


_DESCRIBE: dict[str, Callable[[dict[str, Any]], str]] = {
    "type": lambda details: _types(details["types"]),
    "required": lambda details: f"`{printable(details['property'])}` is missing",
    "enum": lambda details: f"expected one of {_json(details['options'])}",
    "const": lambda details: f"expected {_json(details['expected_value'])}",
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "falseSchema"), _too_much),
}
