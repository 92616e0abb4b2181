"""What the bot sends, and what its handlers ask of the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypedDict


class Job(TypedDict):
    """What all jobs have."""

    id: str
    type: str


class BrowserJob(Job):
    """A page to look at."""

    url: str


class TankpitJob(Job):
    """A player to look up."""

    player: str


class AnyJob(Job, total=False):
    """A job by its type, with what that type needs."""

    arguments: Mapping[str, Any]


class Context(Protocol):
    """What these handlers ask of the runtime."""

    @property
    def attempt(self) -> int:
        """The first is 1."""
