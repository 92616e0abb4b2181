"""Updates a cache of cloud resources, page by page, so that it can be cancelled between pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol


class Job(Protocol):
    """The part of a job that this handler uses."""

    @property
    def name(self) -> str:
        """The name in the spec."""

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments in the spec."""


class Context(Protocol):
    """The part of the runtime's context that this handler uses."""

    @property
    def fence(self) -> int:
        """A fencing token: a later run of a job has a higher one."""


class Cache:
    """The cached resources. A real handler would use a database."""

    def __init__(self) -> None:
        self.rows: dict[str, list[str]] = {}
        self.fences: dict[str, int] = {}

    def put(self, job: str, rows: list[str], fence: int) -> bool:
        """Store all rows of a job at once, unless a later run has already stored its own."""
        if fence < self.fences.get(job, 0):
            return False
        self.rows[job], self.fences[job] = rows, fence
        return True


PAGES = 3
cache = Cache()


async def ask(args: Mapping[str, Any], page: int) -> list[str]:
    """Return one page of a cloud's answer. A real handler would call the cloud's API."""
    await asyncio.sleep(0.05)  # a cancellation ends any wait, here or in a client
    return [f"{args['account']}:{args['region']}:{args['of']}-{page}-{row}" for row in range(2)]


async def refresh(job: Job, context: Context) -> None:
    """Read all pages before storing any of them, so that a cancelled run leaves no partial result."""
    rows: list[str] = []
    for page in range(PAGES):
        rows += await ask(job.args, page)
    cache.put(job.name, rows, context.fence)
