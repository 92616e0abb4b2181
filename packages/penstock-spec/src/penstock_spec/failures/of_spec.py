"""The failure classes of a spec of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from penstock_spec.failures.classes import FailureMatch
from penstock_spec.kinds import kinds
from penstock_spec.model import Section


def classes_of(spec: Section) -> tuple[str, Mapping[str, FailureMatch]]:
    """The path of the classes, and the classes in their order; empty if the kind has none."""
    path = kinds()[getattr(spec, "kind")].failure_classes  # noqa: B009 - a part has none, and every kind's model has one
    classes: Any = reduce(getattr, path.split("."), spec) if path else {}
    return path, classes
