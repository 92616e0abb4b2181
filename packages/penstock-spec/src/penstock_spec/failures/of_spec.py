"""Where a spec has its classes of failures, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from penstock_spec.failures.classes import FailureMatch
from penstock_spec.kinds import kinds
from penstock_spec.model import Section


def classes_of(spec: Section) -> tuple[str, Mapping[str, FailureMatch]]:
    """Their path and, in the order in which they are asked, the classes; none where its kind has none."""
    path = kinds()[getattr(spec, "kind")].failure_classes  # noqa: B009 - a part has none, and every kind's model has one
    found: Any = reduce(getattr, path.split("."), spec) if path else {}
    return path, found
