"""An event loop in its own thread, for tasks that must run while a handler blocks the main loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.pod.exit import BROKEN, end_process

log = Log(logging.getLogger("penstock.loop"))

Answer = TypeVar("Answer")


class SideThread:
    """The side loop of a pod. The thread starts with the object and ends with the `async with` block."""

    def __init__(self) -> None:
        """Start the thread."""
        self._loop = asyncio.new_event_loop()
        # A daemon, so that a process that must end at once does not wait for it.
        self._thread = threading.Thread(target=self._run, name="penstock-side", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            asyncio.set_event_loop(self._loop)
            self._loop.run_forever()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
        except BaseException as error:  # noqa: BLE001 - nobody would renew the lease any more, nor notice a blocked loop
            log.event(Event.PART_FAILED, error, part="side loop")
            end_process(BROKEN, at_once=True)

    def start(self, work: Coroutine[Any, Any, Answer]) -> Future[Answer]:
        """Run a coroutine there."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, function: Callable[..., object], *args: object) -> None:
        """Call a function there."""
        self._loop.call_soon_threadsafe(function, *args)

    async def __aenter__(self) -> Self:
        """Do nothing: the thread already runs."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel all tasks there, and end the thread."""

        async def cancel() -> None:
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        await asyncio.wrap_future(self.start(cancel()))
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
