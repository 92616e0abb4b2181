"""Where in a body something is wrong, told without a word that its sender chose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock_spec.kinds.pipeline.message.schema_check import schemas
from penstock_spec.values.strings import printable

_LONGEST = 200


def names_in(schema: dict[str, Any]) -> frozenset[str]:
    """The names of fields that a schema says itself, at any depth."""
    found: set[str] = set()
    for _, part in schemas(schema):
        if not isinstance(part, dict):
            continue
        for said in (part.get("properties"), part.get("required")):
            if isinstance(said, (dict, list)):
                found.update(name for name in said if isinstance(name, str))
    return frozenset(found)


def where(value: object, steps: Iterable[str | int], known: frozenset[str]) -> str:
    """A path such as `pages[3].url`, or nothing for the whole body. A key that is not known is told as `*`.

    A step that leads nowhere in the body, as the names that validators give to choices, is left out, unless it is the
    known name of a field that is missing.
    """
    path = ""
    for step in steps:
        if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            path += f"[{step}]"
            value = value[step]
            continue
        name = str(step)  # keys of digits may come as numbers
        inside = isinstance(value, dict) and name in value
        if inside or name in known:
            path += f".{name if name in known else '*'}"
        if inside and isinstance(value, dict):
            value = value[name]
    return printable(path.removeprefix("."), _LONGEST)


def at(path: str) -> str:
    """How a sentence starts."""
    return f"at `{path}`: " if path else ""
