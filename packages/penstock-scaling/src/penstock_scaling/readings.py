"""The values of triggers, or why they have none."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Failed(Enum):
    """Why a trigger has no value."""

    ERROR = "an error as the answer"
    """An error response: a missing group, a wrong type, a refused password."""

    UNREACHABLE = "no answer"
    """No response: no connection, or a timeout."""


Readings = Mapping[str, float | Failed]
"""By trigger name. A missing trigger counts as an error."""
