"""Runs an agent, step by step, and remembers after each where it was."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NotRequired, Protocol, TypedDict


class Run(TypedDict):
    """The body of a message, as `specs/agent-queue.yaml` describes it."""

    agent_id: str
    correlation_id: str
    action: str
    input: NotRequired[Mapping[str, Any]]


class Context(Protocol):
    """What this handler asks of the runtime."""

    @property
    def lost(self) -> bool:
        """True when another worker has taken this message over."""


checkpoints: dict[str, int] = {}
"""The last step of each run that is not done. It stands here for a database."""


async def execute(run: Run, context: Context) -> None:
    """Begin at the last checkpoint: of a run that is resumed, and of one whose worker was lost."""
    done = checkpoints.get(run["correlation_id"], 0)
    for step in range(done + 1, len(run.get("input", {})) + 1):
        if context.lost:
            return
        await asyncio.sleep(0)  # here the agent works
        checkpoints[run["correlation_id"]] = step
    checkpoints.pop(run["correlation_id"], None)
