"""Runs the tasks that must run as long as the pod."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.pod.exit import BROKEN


class Parts:
    """If a part fails, the pod drains and exits with `BROKEN`: without it, the pod would only look healthy."""

    def __init__(self, log: Log, drain: Callable[[], object]) -> None:
        """`drain` is called for each part that fails."""
        self._log = log
        self._drain = drain
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.have_failed = False

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a part; its name is for the log."""
        task = self._tasks[name] = asyncio.create_task(work, name=name)
        task.add_done_callback(self._ended)
        return task

    def fail(self, name: str, error: BaseException) -> None:
        """Log that a part has failed, and drain."""
        self._log.event(Event.PART_FAILED, error, part=name)
        self.give_up()

    def give_up(self) -> None:
        """Drain, and exit with `BROKEN`."""
        self.have_failed = True
        self._drain()

    def cancel(self, *, but: tuple[str, ...] = ()) -> None:
        """Cancel all parts, except those in `but`, which the drain needs."""
        for name, task in self._tasks.items():
            if name not in but:
                task.cancel()

    async def ended(self) -> None:
        """Wait until all parts have ended."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def exit_code(self, code: int) -> int:
        """Return this code, or `BROKEN` if a part has failed."""
        return BROKEN if self.have_failed else code

    def _ended(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.fail(task.get_name(), error)
