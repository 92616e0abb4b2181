"""The interface through which a worker runs messages in child processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.isolation.runs import CancelReason, ProgressReport, RunRequest, RunResult


class Spawner(Protocol):
    """Runs messages in child processes. `ChildPool` is the real one; a simulation has another."""

    started: int
    """The number of children that were ever started."""
    each_imports: str
    """Why each child imports the handler itself; empty where one import serves all."""

    @property
    def children(self) -> int:
        """The number of children."""

    async def start(self) -> None:
        """Get ready for the first message. Raises HandlerImportError if the handler cannot be imported."""

    async def run(
        self, request: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        """Run a message to its end: `alone` in a child of its own, or in one that is used again.

        Raises IsolationError if it could not start. Cancelling this coroutine cancels the message, as by a drain, and
        waits a bounded time for its end; use `cancel` to learn the result.
        """

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a running message to stop, and kill its child if it does not. `run` then returns how it ended."""

    async def close(self) -> None:
        """End all children in a bounded time. Running messages are cancelled, as by a drain."""
