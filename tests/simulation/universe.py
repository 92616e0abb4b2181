"""Virtual time: nothing sleeps. When no loop is ready, time jumps to the next event.

Each simulated process has its own event loops, which this module drives one step at a time. A suspended process does
nothing while time passes, as under SIGSTOP; a killed one is never resumed.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import base_events, events
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from random import Random
from typing import Any, TypeVar

START = 1000.0
"""The time of the clocks at the start of a simulation."""
FAIRNESS = 200_000
"""The number of steps without progress of time that counts as an endless loop."""

T = TypeVar("T")


def seeded_random(seed: str) -> Random:
    """A generator whose random numbers depend only on the seed."""
    return Random(seed)  # noqa: S311 - it chooses faults, no secrets


class NoProgressError(AssertionError):
    """Code runs in an endless loop while no time passes."""


class Event:
    """A call at some time, which can be cancelled."""

    __slots__ = ("args", "call", "cancelled")

    def __init__(self, call: Callable[..., object], args: tuple[object, ...]) -> None:
        self.call = call
        self.args = args
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Universe:
    """The virtual time of all processes."""

    def __init__(self, rng: Random) -> None:
        self.now = START
        self._rng = rng
        self._agenda: list[tuple[float, int, Event]] = []
        self._number = 0
        self._loops: list[Loop] = []
        self._ended: list[Loop] = []

    def clock(self) -> float:
        """Seconds, as from `time.monotonic`."""
        return self.now

    def at(self, when: float, call: Callable[..., object], *args: object) -> Event:
        """Schedule a call outside of all processes."""
        event = Event(call, args)
        self._number += 1
        heapq.heappush(self._agenda, (max(when, self.now), self._number, event))
        return event

    def after(self, seconds: float, call: Callable[..., object], *args: object) -> Event:
        return self.at(self.now + seconds, call, *args)

    def loop(self, name: str) -> Loop:
        """Create an event loop for a process or one of its threads."""
        loop = Loop(self, name)
        self._loops.append(loop)
        return loop

    def run(self, until: float, is_done: Callable[[], bool] | None = None) -> bool:
        """Let time pass until then, or until `is_done`, checked before time moves; return whether it was done."""
        steps = 0
        loops = self._loops
        while True:
            now = self.now
            # Reads attributes instead of calling methods, which would take most of a schedule's time.
            ready = [
                one
                for one in loops
                if not one.suspended and (one.ready or (one.timers and one.timers[0].when() <= now))
            ]
            if ready:
                (ready[0] if len(ready) == 1 else self._rng.choice(ready)).once()
                steps += 1
                if steps > FAIRNESS:
                    raise NoProgressError(", ".join(loop.name for loop in ready))
                continue
            if self._agenda and self._agenda[0][0] <= now:
                _, _, event = heapq.heappop(self._agenda)
                if not event.cancelled:
                    event.call(*event.args)
                continue
            if is_done is not None and is_done():
                return True
            steps = 0
            then = self._next()
            if then is None or then > until:
                self.now = max(now, until)
                return False
            self.now = then

    def _next(self) -> float | None:
        while self._agenda and self._agenda[0][2].cancelled:
            heapq.heappop(self._agenda)
        times = [self._agenda[0][0]] if self._agenda else []
        for loop in self._loops:
            if loop.suspended:
                continue
            timers = loop.timers
            while timers and timers[0].cancelled():
                heapq.heappop(timers)
            if timers:
                times.append(timers[0].when())
        return min(times) if times else None

    def forget(self, loop: Loop) -> None:
        """Drop a process that has ended."""
        self._loops.remove(loop)
        self._ended.append(loop)

    def end(self) -> None:
        """End everything: cancel tasks, so that nothing stays open, and close loops."""
        for loop in (*self._loops, *self._ended):
            loop.unwind()
        self._loops.clear()
        self._agenda.clear()


class Loop(base_events.BaseEventLoop):
    """An event loop without sockets."""

    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self, universe: Universe, name: str) -> None:
        super().__init__()
        self._universe = universe
        self.ready = self._ready
        self.timers = self._scheduled
        self._tasks: list[asyncio.Task[Any]] = []
        self.name = name
        self.suspended = False
        self.complaints: list[str] = []
        """Uncaught exceptions."""
        self.set_exception_handler(lambda _, context: self._complain(context))
        self.set_task_factory(self._make)

    def time(self) -> float:
        return self._universe.now

    def once(self) -> None:
        """Run what is due and ready, once each; stop when a step suspends the loop."""
        events._set_running_loop(self)  # noqa: SLF001 - several loops take turns in one thread
        try:
            timers, now = self.timers, self._universe.now
            while timers and timers[0].when() <= now:
                self.ready.append(heapq.heappop(timers))
            for _ in range(len(self.ready)):
                if self.suspended:
                    return
                handle = self.ready.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001 - as a loop does
        finally:
            events._set_running_loop(None)  # noqa: SLF001 - as above

    def run_in_executor(  # type: ignore[override] # gives a future of this loop, as the base class does
        self,
        executor: Executor | None,
        func: Callable[..., T],
        *args: Any,  # noqa: ANN401 - as in the base class
    ) -> asyncio.Future[Any]:
        """Run a coroutine that stands for a thread, which takes time and cannot be cancelled from outside."""
        del executor
        result = func(*args)
        if asyncio.iscoroutine(result):
            return self.create_task(result)
        future = self.create_future()
        future.set_result(result)
        return future

    def unwind(self) -> None:
        """End everything that waits, ignoring exceptions."""
        self.set_exception_handler(lambda _, __: None)
        self.suspended = False
        for _ in range(50):
            left = [task for task in self._tasks if not task.done()]
            if not left:
                break
            for task in left:
                task.cancel()
            for _ in range(20):
                self.once()
        self.close()

    def _make(self, loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> asyncio.Task[Any]:  # noqa: ANN401 - as asyncio calls it
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=loop, **more)
        self._tasks.append(task)
        if len(self._tasks) > 200:
            self._tasks = [one for one in self._tasks if not one.done()]
        return task

    def _complain(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.complaints.append(f"{context['message']}: {error!r}" if error else str(context["message"]))

    def _write_to_self(self) -> None:
        """No selector needs to wake up."""
