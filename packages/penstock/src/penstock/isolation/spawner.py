"""The interface through which a worker runs messages in child processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from penstock.isolation.runs import CancelReason, ProgressReport, RunRequest, RunResult


class Spawner(Protocol):
    """Runs messages in child processes. `ChildPool` implements it; simulations have their own."""

    started: int
    """The number of children started so far."""
    each_imports: str
    """Why each child imports the handler itself; empty if one import serves all."""

    @property
    def children(self) -> int:
        """The number of children."""

    @property
    def prepared(self) -> bool:
        """Whether the handler is imported, so that a message needs only a child."""

    async def start(self) -> None:
        """Prepare for the first message. Raises HandlerImportError if the handler cannot be imported."""

    async def run(
        self, request: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        """Run a message until it ends, `alone` in its own child or in a reused one.

        Raises IsolationError if it could not start. Cancelling this coroutine cancels the message, as by a drain, and
        waits a limited time for its end; use `cancel` to get the result.
        """

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a running message to stop, and kill its child if it does not. `run` then returns how it ended."""

    async def rest(self) -> None:
        """Free all memory, unless a message runs or starts. The next message imports the handler again."""

    async def close(self) -> None:
        """End all children within a limited time. Running messages are cancelled, as by a drain."""
