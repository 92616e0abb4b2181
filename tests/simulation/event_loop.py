"""The event loops of simulated processes: callbacks, timers and tasks, without sockets, selectors or threads.

They do what asyncio expects of a loop, and little else, because a search runs them millions of times a minute.
"""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop, events
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from contextvars import Context, copy_context
from typing import Any, Protocol, TypeVar, cast

T = TypeVar("T")

ROUNDS = 50
"""How often `unwind` cancels tasks that suppress their cancellation."""


class Scheduled:
    """A callback of a loop, or a call outside of all processes (`loop` is None); at a time or as soon as possible."""

    __slots__ = ("args", "call", "context", "is_cancelled", "loop", "time")

    def __init__(
        self,
        call: Callable[..., object],
        args: tuple[Any, ...],
        loop: Loop | None = None,
        context: Context | None = None,
        time: float = 0.0,
    ) -> None:
        self.call = call
        self.args = args
        self.loop = loop
        self.context = context
        self.time = time
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.time


class Timeline(Protocol):
    """The virtual time that loops share."""

    now: float

    def schedule(self, when: float, item: Scheduled) -> None:
        """Call back then."""

    def has_work(self, loop: Loop) -> None:
        """Give this loop a turn."""


class Loop(AbstractEventLoop):
    """The event loop of a process or of one of its threads."""

    def __init__(self, timeline: Timeline, name: str) -> None:
        self._timeline = timeline
        self._ready: deque[Scheduled] = deque()
        self._missed: list[Scheduled] = []
        """Timers that were due while it was suspended."""
        self._tasks: list[asyncio.Task[Any]] = []
        self._is_suspended = False
        self._is_closed = False
        self._ignores_errors = False
        self.name = name
        self.is_queued = False
        """Whether it waits for its turn."""
        self.complaints: list[str] = []
        """Uncaught exceptions."""

    # -- what asyncio and the code under test call --------------------------------------------------------------------

    def time(self) -> float:
        return self._timeline.now

    def call_soon(self, callback: Callable[..., object], *args: object, context: Context | None = None) -> Any:  # noqa: ANN401 - only like a Handle
        item = Scheduled(callback, args, self, copy_context() if context is None else context)
        self._ready.append(item)
        if not self.is_queued:
            self._timeline.has_work(self)
        return item

    call_soon_threadsafe = call_soon  # all threads of the simulation are one

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> Any:  # noqa: ANN401 - only like a TimerHandle
        return self.call_at(self._timeline.now + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: object, context: Context | None = None
    ) -> Any:  # noqa: ANN401 - only like a TimerHandle
        item = Scheduled(callback, args, self, copy_context() if context is None else context, when)
        self._timeline.schedule(when, item)
        return item

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Coroutine[Any, Any, T], **more: object) -> asyncio.Task[T]:  # type: ignore[override] # as asyncio calls it
        task: asyncio.Task[T] = cast("Any", asyncio.Task)(coro, loop=self, **more)
        tasks = self._tasks
        tasks.append(task)
        if len(tasks) > 200:
            self._tasks = [one for one in tasks if not one.done()]
        return task

    def run_in_executor(self, executor: Executor | None, func: Callable[..., T], *args: object) -> asyncio.Future[Any]:
        """Run a coroutine that stands for a thread, which takes time and cannot be cancelled from outside."""
        del executor
        result = func(*args)
        if asyncio.iscoroutine(result):
            return self.create_task(result)
        future = self.create_future()
        future.set_result(result)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._ignores_errors:
            error = context.get("exception")
            self.complaints.append(f"{context['message']}: {error!r}" if error else str(context["message"]))

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return events._get_running_loop() is self  # noqa: SLF001 - several loops take turns in one thread

    def is_closed(self) -> bool:
        return self._is_closed

    # -- what the simulation calls ------------------------------------------------------------------------------------

    @property
    def suspended(self) -> bool:
        """Whether its process or thread is stopped."""
        return self._is_suspended

    @suspended.setter
    def suspended(self, value: bool) -> None:
        self._is_suspended = value
        if not value:
            self._ready += self._missed
            self._missed.clear()
            if self._ready and not self.is_queued:
                self._timeline.has_work(self)

    def is_due(self, timer: Scheduled) -> None:
        """Take a timer whose time has come."""
        if self._is_suspended:
            self._missed.append(timer)
            return
        self._ready.append(timer)
        if not self.is_queued:
            self._timeline.has_work(self)

    def once(self) -> None:
        """Run what is ready, once each; stop when a step suspends the loop."""
        ready = self._ready
        events._set_running_loop(self)  # noqa: SLF001 - several loops take turns in one thread
        try:
            for _ in range(len(ready)):
                if self._is_suspended:
                    break
                item = ready.popleft()
                if item.is_cancelled:
                    continue
                try:
                    item.context.run(item.call, *item.args)  # type: ignore[union-attr] # a loop's callbacks have one
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as error:  # noqa: BLE001 - a loop survives its callbacks, as asyncio's does
                    self.call_exception_handler({"message": f"an exception in {item.call!r}", "exception": error})
        finally:
            events._set_running_loop(None)  # noqa: SLF001 - as above
        if ready and not self.is_queued:
            self._timeline.has_work(self)

    def unwind(self) -> None:
        """End everything that waits, ignoring exceptions."""
        self._ignores_errors = True
        self._is_suspended = False
        for _ in range(ROUNDS):
            left = [task for task in self._tasks if not task.done()]
            if not left:
                break
            for task in left:
                task.cancel()
            for _ in range(20):
                if not self._ready:
                    break
                self.once()
        self._is_closed = True
