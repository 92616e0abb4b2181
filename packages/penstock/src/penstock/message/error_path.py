"""Describes the place of an error in a body, without quoting the sender's text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock_spec.kinds.pipeline.message.schema_check import schemas
from penstock_spec.values.strings import printable

_LONGEST = 200


def field_names(schema: dict[str, Any]) -> frozenset[str]:
    """Return the field names in a schema, at any depth."""
    names: set[str] = set()
    for _, part in schemas(schema):
        if not isinstance(part, dict):
            continue
        for part_names in (part.get("properties"), part.get("required")):
            if isinstance(part_names, (dict, list)):
                names.update(name for name in part_names if isinstance(name, str))
    return frozenset(names)


def error_path(value: object, steps: Iterable[str | int], known: frozenset[str]) -> str:
    """Return a path such as `pages[3].url`, empty for the whole body. An unknown key becomes `*`.

    A step that is not in the body, such as a validator's name of a choice, is omitted, unless it is the known name of a
    missing field.
    """
    path = ""
    for step in steps:
        if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            path += f"[{step}]"
            value = value[step]
            continue
        name = str(step)  # the validator may report keys of digits as numbers
        inside = isinstance(value, dict) and name in value
        if inside or name in known:
            path += f".{name if name in known else '*'}"
        if inside and isinstance(value, dict):
            value = value[name]
    return printable(path.removeprefix("."), _LONGEST)


def at(path: str) -> str:
    """Return the path as the beginning of a sentence."""
    return f"at `{path}`: " if path else ""
