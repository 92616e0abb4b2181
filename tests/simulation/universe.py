"""Virtual time: nothing sleeps. When nothing is ready, time jumps to the next event.

Each simulated process has its own event loops, driven from here one step at a time. A frozen process stands still while
time passes, as under SIGSTOP; one that is never thawed was killed: none of its code runs any more.
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
"""What the clocks say when a simulation begins."""
FAIRNESS = 200_000
"""Steps without a step of time after which something runs in a circle."""

T = TypeVar("T")


def dice(seed: str) -> Random:
    """Random numbers that depend on the seed alone."""
    return Random(seed)  # noqa: S311 - it decides what goes wrong, and keeps no secrets


class StandsStillError(AssertionError):
    """Code runs on and on while no time passes."""


class Event:
    """A call at a time, unless it is cancelled."""

    __slots__ = ("args", "call", "off")

    def __init__(self, call: Callable[..., object], args: tuple[object, ...]) -> None:
        self.call = call
        self.args = args
        self.off = False

    def cancel(self) -> None:
        self.off = True


class Universe:
    """The one time of all processes."""

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
        """Call this at a time, outside of all processes."""
        event = Event(call, args)
        self._number += 1
        heapq.heappush(self._agenda, (max(when, self.now), self._number, event))
        return event

    def after(self, seconds: float, call: Callable[..., object], *args: object) -> Event:
        return self.at(self.now + seconds, call, *args)

    def loop(self, name: str) -> Loop:
        """Make a loop of a process or of one of its threads."""
        loop = Loop(self, name)
        self._loops.append(loop)
        return loop

    def run(self, until: float, over: Callable[[], bool] | None = None) -> bool:
        """Let time pass until then, or until `over`, which is checked before each step; whether it was over."""
        steps = 0
        loops = self._loops
        while True:
            now = self.now
            # Looked into rather than asked: most of a schedule's time would go by in the asking.
            ready = [
                one for one in loops if not one.frozen and (one.ready or (one.timers and one.timers[0].when() <= now))
            ]
            if ready:
                (ready[0] if len(ready) == 1 else self._rng.choice(ready)).once()
                steps += 1
                if steps > FAIRNESS:
                    raise StandsStillError(", ".join(loop.name for loop in ready))
                continue
            if self._agenda and self._agenda[0][0] <= now:
                _, _, event = heapq.heappop(self._agenda)
                if not event.off:
                    event.call(*event.args)
                continue
            if over is not None and over():
                return True
            steps = 0
            then = self._next()
            if then is None or then > until:
                self.now = max(now, until)
                return False
            self.now = then

    def _next(self) -> float | None:
        while self._agenda and self._agenda[0][2].off:
            heapq.heappop(self._agenda)
        times = [self._agenda[0][0]] if self._agenda else []
        for loop in self._loops:
            if loop.frozen:
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
        self.frozen = False
        self.complaints: list[str] = []
        """What nobody caught."""
        self.set_exception_handler(lambda _, context: self._complain(context))
        self.set_task_factory(self._make)

    def time(self) -> float:
        return self._universe.now

    def once(self) -> None:
        """Run what is due and ready, once each; stop in between when it is frozen."""
        events._set_running_loop(self)  # noqa: SLF001 - several loops take turns in one thread
        try:
            timers, now = self.timers, self._universe.now
            while timers and timers[0].when() <= now:
                self.ready.append(heapq.heappop(timers))
            for _ in range(len(self.ready)):
                if self.frozen:
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
        """Threads take time too: the coroutine stands for the thread, which cannot be cancelled from outside."""
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
        self.frozen = False
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
