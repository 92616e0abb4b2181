"""Runs an agent step by step and stores a checkpoint after each step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NotRequired, Protocol, TypedDict


class Run(TypedDict):
    """The body of a message, as defined in `specs/agent-queue.yaml`."""

    agent_id: str
    correlation_id: str
    action: str
    input: NotRequired[Mapping[str, Any]]


class Context(Protocol):
    """The part of the runtime's context that this handler uses."""

    @property
    def lost(self) -> bool:
        """True if another worker has taken over this message."""


checkpoints: dict[str, int] = {}
"""The last step of each unfinished run. A real handler would use a database."""


async def execute(run: Run, context: Context) -> None:
    """Continue at the last checkpoint, for resumed runs and after a lost worker."""
    done = checkpoints.get(run["correlation_id"], 0)
    for step in range(done + 1, len(run.get("input", {})) + 1):
        if context.lost:
            return
        await asyncio.sleep(0)  # the agent would work here
        checkpoints[run["correlation_id"]] = step
    checkpoints.pop(run["correlation_id"], None)
