"""Derived defaults of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def side_key(key: str, suffix: str) -> str:
    """A key in the slot of the stream: `K` becomes `{K}:suffix`; a key with a hash tag keeps its tag."""
    return f"{key}:{suffix}" if "{" in key else f"{{{key}}}:{suffix}"


def dead_letters(key: str, group: str) -> str:
    """The default key of dead letters."""
    return side_key(key, f"{group}:dead")


def derive(data: Mapping[str, Any]) -> dict[str, Any]:
    """Derived defaults by path. If a field they depend on is missing or invalid, they are left out."""
    name = data.get("name")
    if not isinstance(name, str):
        return {}
    key = _text(data, "stream", "key") or f"streams:{name}"
    group = _text(data, "stream", "group") or name
    minimum = _at(data, "scaling", "replicas", "min")
    derived: dict[str, Any] = {
        "stream.key": key,
        "stream.group": group,
        "dead_letter.key": dead_letters(key, group),
        "scaling.fallback": {"replicas": max(1, minimum) if isinstance(minimum, int) else 1},
    }
    model = _at(data, "message", "schema", "model")
    if isinstance(model, str):
        derived["message.schema.file"] = f"{name}.message.json"
    return derived


def _at(data: Mapping[str, Any], *steps: str) -> object:
    value: object = data
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _text(data: Mapping[str, Any], *steps: str) -> str:
    value = _at(data, *steps)
    return value if isinstance(value, str) else ""
