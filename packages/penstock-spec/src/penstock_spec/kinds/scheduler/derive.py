"""Defaults of a scheduler that follow from its other fields: the classes of failures that are always there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock_spec.kinds.scheduler.failures import STANDARD


def derive(data: Mapping[str, Any]) -> dict[str, Any]:
    """By path, field by field: a spec may say one field of a class anew, and keeps the others."""
    del data  # nothing that a spec says takes a class away
    return {f"failures.classes.{path}": value for path, value in _leaves(STANDARD)}


def _leaves(section: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{path}", leaf) for path, leaf in _leaves(value))
        else:
            yield key, value
