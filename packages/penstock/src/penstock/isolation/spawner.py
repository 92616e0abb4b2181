"""What a worker knows of isolation: something that runs messages elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.isolation.runs import CancelReason, ProgressReport, RunRequest, RunResult


class Spawner(Protocol):
    """Runs messages in processes of their own. `ChildPool` is the real one."""

    started: int
    """Children that were started."""
    each_imports: str
    """Why each child imports the handler for itself; empty while one import does for all."""

    @property
    def children(self) -> int:
        """Those that there are now."""

    async def start(self) -> None:
        """Get ready ahead of the first message. Raises HandlerImportError when the handler cannot be imported."""

    async def run(
        self, request: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        """Run a message to its end: in a child of its own, or in one that is used again.

        Raises IsolationError when it could not be begun. When this coroutine is cancelled, so is the message, as by a
        drain, and its end is awaited, for a bounded time; who wants to know the outcome uses `cancel`.
        """

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a running message to stop, and kill it if it does not. `run` then tells how it ended."""

    async def close(self) -> None:
        """End all children, in a bounded time. What still runs is cancelled, as by a drain."""
