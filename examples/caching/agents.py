"""Keeps a cache of what is in the clouds: page by page, so that it can be told to stop between any two."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol


class Job(Protocol):
    """What this handler asks of a job."""

    @property
    def name(self) -> str:
        """As the spec lists it."""

    @property
    def args(self) -> Mapping[str, Any]:
        """As the spec gives them."""


class Context(Protocol):
    """What this handler asks of the runtime."""

    @property
    def fence(self) -> int:
        """Of two runs of a job, the later one has the greater."""


class Cache:
    """What is known of the clouds. It stands here for a database."""

    def __init__(self) -> None:
        self.rows: dict[str, list[str]] = {}
        self.fences: dict[str, int] = {}

    def put(self, job: str, rows: list[str], fence: int) -> bool:
        """All of a job's rows at once, unless a later run has put its own already."""
        if fence < self.fences.get(job, 0):
            return False
        self.rows[job], self.fences[job] = rows, fence
        return True


PAGES = 3
cache = Cache()


async def ask(args: Mapping[str, Any], page: int) -> list[str]:
    """One page of a cloud's answer. It stands here for the cloud."""
    await asyncio.sleep(0.05)  # being told to stop ends every wait, here and in a client's
    return [f"{args['account']}:{args['region']}:{args['of']}-{page}-{row}" for row in range(2)]


async def refresh(job: Job, context: Context) -> None:
    """Nothing is written before all is there, so that a run that was told to stop has left nothing half done."""
    rows: list[str] = []
    for page in range(PAGES):
        rows += await ask(job.args, page)
    cache.put(job.name, rows, context.fence)
