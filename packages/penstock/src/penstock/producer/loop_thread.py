"""A thread with an event loop and a producer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from penstock.producer.errors import closed
from penstock.producer.producer import Producer

T = TypeVar("T")


class LoopThread:
    """Runs a producer until it is closed."""

    def __init__(self, make: Callable[[], Producer]) -> None:
        """Start the thread and enter the producer. Raises CannotGoOn."""
        self._producer = make()
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self._open = True
        # A daemon, so that a program that does not close its producer still ends.
        self._thread = threading.Thread(target=self._run, name="penstock-producer", daemon=True)
        self._thread.start()
        try:
            self.do(Producer.__aenter__)
        except BaseException:
            self.close()
            raise

    def do(self, call: Callable[[Producer], Coroutine[Any, Any, T]]) -> T:
        """Run a call in the thread and wait for it. An interrupt, such as Ctrl-C, cancels it."""
        with self._lock:
            if not self._open:
                raise closed()
            future = asyncio.run_coroutine_threadsafe(call(self._producer), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def after_fork(self) -> None:
        """Reset what a forked child inherited from its parent."""
        self._producer.after_fork()

    def close(self) -> None:
        """Close the producer, wait for its tasks, and end the thread."""
        with self._lock:
            self._open = False
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        await self._producer.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        if rest:
            await asyncio.wait(rest)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
