"""The bot's messages, and the part of the context that its handlers use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypedDict


class Job(TypedDict):
    """The fields of all jobs."""

    id: str
    type: str


class BrowserJob(Job):
    """A page to visit."""

    url: str


class TankpitJob(Job):
    """A player to look up."""

    player: str


class AnyJob(Job, total=False):
    """A job with the arguments that its type needs."""

    arguments: Mapping[str, Any]


class Context(Protocol):
    """The part of the runtime's context that these handlers use."""

    @property
    def attempt(self) -> int:
        """The number of this attempt, from 1."""
