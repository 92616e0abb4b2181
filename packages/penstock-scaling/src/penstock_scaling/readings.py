"""What a look at the triggers brings back: a number each, or how it failed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Failed(Enum):
    """Why a trigger has no number."""

    ANSWERED = "an error as the answer"
    """Redis, or whoever was asked, answered with an error: a missing group, a wrong type, a password refused."""

    ABSENT = "no answer"
    """Nobody answered: no connection, or none in time."""


Readings = Mapping[str, float | Failed]
"""By the triggers' names. One that is missing here reads as an error that was answered."""
