"""Derived defaults of a scheduler: the built-in failure classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from penstock_spec.kinds.scheduler.failures import STANDARD


def derive(data: Mapping[str, Any]) -> dict[str, Any]:
    """The default of each field of the built-in classes, by path, so that a spec can override single fields."""
    del data  # built-in classes do not depend on the spec
    return {f"failures.classes.{path}": value for path, value in _leaves(STANDARD)}


def _leaves(section: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{path}", leaf) for path, leaf in _leaves(value))
        else:
            yield key, value
