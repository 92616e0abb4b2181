"""Runs simple jobs by their type."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .messages import AnyJob, Context


async def remind(arguments: Mapping[str, Any]) -> None:
    """Post a text to a channel."""
    print(arguments["channel"], arguments["text"])


async def count_votes(arguments: Mapping[str, Any]) -> None:
    """Post the winner."""
    votes: Mapping[str, int] = arguments["votes"]
    print(max(votes, key=votes.__getitem__))


KNOWN: dict[str, Callable[[Mapping[str, Any]], Awaitable[None]]] = {"remind": remind, "count-votes": count_votes}


async def run(job: AnyJob, context: Context) -> None:  # noqa: ARG001 - every handler receives a context
    """Run the job. An unknown type is a `LookupError`, which the spec does not retry."""
    await KNOWN[job["type"]](job.get("arguments", {}))
