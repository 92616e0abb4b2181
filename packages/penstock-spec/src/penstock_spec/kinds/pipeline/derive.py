"""Defaults of a pipeline that follow from its other fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def side_key(key: str, suffix: str) -> str:
    """A key in the same slot as the stream: `K` -> `{K}:suffix`; a key with a hash tag keeps it."""
    return f"{key}:{suffix}" if "{" in key else f"{{{key}}}:{suffix}"


def dead_letters(key: str, group: str) -> str:
    """Where dead letters go unless a spec says otherwise."""
    return side_key(key, f"{group}:dead")


def derive(data: Mapping[str, Any]) -> dict[str, Any]:
    """By path. What cannot be derived, because what it follows from is missing or wrong, is left out."""
    name = data.get("name")
    if not isinstance(name, str):
        return {}
    key = _text(data, "stream", "key") or f"streams:{name}"
    group = _text(data, "stream", "group") or name
    least = _at(data, "scaling", "replicas", "min")
    derived: dict[str, Any] = {
        "stream.key": key,
        "stream.group": group,
        "dead_letter.key": dead_letters(key, group),
        "scaling.fallback": {"replicas": max(1, least) if isinstance(least, int) else 1},
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
