"""The handlers of the simulation, by the kind of their message.

ok          returns
flaky       fails the first time
bad         fails every time
slow        exceeds its timeout, and stops when it is cancelled
stubborn    exceeds its timeout, and ignores its cancellation
reluctant   exceeds its timeout, and returns a while after its cancellation
blocker     blocks its loop for a while
result      leaves a result
poison      crashes its process: a child, if it runs in one
unreadable  never reaches a handler
huge        never reaches a handler, and kills each worker that receives its body without a limit

worker-killer crashes the worker's process, even from a child.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any, Protocol

from penstock.handling.failures import Failure
from penstock.isolation.runs import CancelReason, Crashed, Killed, ProgressReport, Returned, RunRequest, RunResult
from penstock.worker.context import Context
from penstock.worker.outcome import DONE, Failed, Unreadable, encode

from .event_loop import Scheduled
from .records import DeliveryRecord, Run
from .truth import Truth
from .universe import Universe

IGNORES_CANCELLATION = {"stubborn": 12.0, "reluctant": 5.0}
"""Seconds that a handler continues after its cancellation; a worker waits less long than the first, but longer than
the second."""
HUGE = 600_000
"""Bytes of a body above `message.max_size` that no worker can receive."""
READ_BUDGET = 1 << 18
KILLED_AFTER = 3.0
"""Seconds after which a child that ignores its cancellation is killed."""


class FailedError(Exception):
    """The exception that handlers raise."""


class Process(Protocol):
    """The process in which handlers run."""

    name: str

    def crash(self, cause: Run | None = None) -> None:
        """Crash the process."""

    def block(self, seconds: float) -> None:
        """Block the main loop, but not the other thread."""


class Handlers:
    """The handlers of one process."""

    def __init__(self, process: Process, truth: Truth) -> None:
        self._process = process
        self._truth = truth

    async def handle(self, message: dict[str, str], context: Context) -> None:
        """An `async` handler."""
        run = self._start(message, context)
        await self._work(run, context)

    def handle_in_thread(self, message: dict[str, str], context: Context) -> Coroutine[Any, Any, None]:
        """A plain handler; the coroutine stands for its thread."""
        return self._work_in_thread(self._start(message, context), context)

    def _start(self, message: dict[str, str], context: Context) -> Run:
        one = context._delivery  # noqa: SLF001 - the checks need more than a context shows
        believed = DeliveryRecord(one.id, one.consumer, one.count, self._process.name, one.source)
        record = self._truth.messages[message["id"]]
        return self._truth.handler_started(
            record, believed, one.attempt, lambda: context.why, lambda: context.lost, isolated=False
        )

    async def _work_in_thread(self, run: Run, context: Context) -> None:
        try:
            await asyncio.sleep(seconds_of(run))
            await self._end(run, context)
        except asyncio.CancelledError:  # only when the world ends
            self._truth.handler_ended(run, "over")
            raise

    async def _work(self, run: Run, context: Context) -> None:
        try:
            await asyncio.sleep(seconds_of(run))
        except asyncio.CancelledError:
            deaf = IGNORES_CANCELLATION.get(run.message.planned.kind)
            if deaf is not None:
                how: str = context.why or "over"
                try:
                    await asyncio.sleep(deaf)
                    how = "ok" if run.message.planned.kind == "reluctant" else how
                finally:
                    self._truth.handler_ended(run, how)
                return
            self._truth.handler_ended(run, context.why or "over")
            raise
        await self._end(run, context)

    async def _end(self, run: Run, context: Context) -> None:
        kind = run.message.planned.kind
        if kind == "blocker" and len(run.message.runs) == 1:
            self._process.block(8.0)
            await asyncio.sleep(0)
        if kind in ("poison", "worker-killer"):
            self._process.crash(run)
            await asyncio.get_running_loop().create_future()  # this process is dead: the future never completes
        if fails(run):
            self._truth.handler_ended(run, "fail")
            raise FailedError(kind)
        if kind == "result":
            context.leave({"id": run.message.name})
        self._truth.handler_ended(run, "ok")


def seconds_of(run: Run) -> float:
    return run.message.planned.seconds


def fails(run: Run) -> bool:
    kind = run.message.planned.kind
    return kind == "bad" or (kind == "flaky" and sum(one.how == "fail" for one in run.message.runs) == 0)


class Child:
    """A child process with one message."""

    def __init__(self, future: asyncio.Future[RunResult]) -> None:
        self.future = future
        self.why: CancelReason | None = None
        """Why it was cancelled, if it was."""
        self.run: Run
        self.event: Scheduled


class Memory:
    """The memory of one pod. Without room for a child process, starting one kills the pod."""

    def __init__(self, kind: str, rng: Random) -> None:
        """`kind` is that of the setup."""
        self._kind = kind
        self._rng = rng
        self.is_tight = kind == "tight"

    def room_for_suspects(self, running: int, *, prepared: bool) -> int:
        del prepared
        rooms = {"ample": (40,), "tight": (0,), "varying": (0, 0, 1, 2)}[self._kind]
        return self._rng.choice(rooms) - (running if self._kind == "varying" else 0)

    def sample(self, running: int) -> None:
        """Learn nothing."""

    def read_budget(self) -> int | None:
        return None if self._kind == "ample" else READ_BUDGET


class Spawner:
    """The children of one process. They continue while it is stalled, and end with it."""

    def __init__(self, process: Process, truth: Truth, universe: Universe, memory: Memory) -> None:
        self._process = process
        self._truth = truth
        self._universe = universe
        self._memory = memory
        self._children: dict[bytes, Child] = {}
        self.started = 0
        self.each_imports = ""
        self.prepared = True

    @property
    def children(self) -> int:
        return len(self._children)

    async def start(self) -> None:
        """Nothing is needed."""

    async def run(
        self, delivery: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        del on_progress
        if alone and self._memory.is_tight:
            self._truth.violate("no-memory", f"{self._process.name} starts a child process, and memory allows none")
        fields = [part for pair in delivery.fields for part in pair]
        message = self._truth.message_of(delivery.id, fields)
        if message.planned.kind in ("unreadable", "huge"):
            return Returned(encode(Unreadable("not-json", "it is none")))
        child = Child(asyncio.get_running_loop().create_future())
        believed = DeliveryRecord(delivery.id, delivery.consumer, delivery.fence, self._process.name, "")
        child.run = self._truth.handler_started(message, believed, delivery.attempt, lambda: child.why, isolated=True)
        child.event = self._universe.after(0.05 + seconds_of(child.run), self._finish, delivery.id)
        self._children[delivery.id] = child
        self.started += 1
        return await child.future

    def _finish(self, entry: bytes) -> None:
        child = self._children.pop(entry)
        kind = child.run.message.planned.kind
        if kind == "worker-killer":
            self._process.crash(child.run)
        elif kind == "poison":
            self._truth.handler_ended(child.run, "crash-own")
            self._report(child, Crashed(-9, "it was killed by SIGKILL"))
        elif fails(child.run):
            self._truth.handler_ended(child.run, "fail")
            self._report(child, Returned(encode(Failed(Failure.of(FailedError(kind))))))
        else:
            self._truth.handler_ended(child.run, "ok")
            self._report(child, Returned(encode(DONE)))

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a child to stop; kill it if it does not."""
        child = self._children.get(delivery_id)
        if child is None or child.why is not None:
            return
        child.why = why
        child.event.cancel()
        deaf = IGNORES_CANCELLATION.get(child.run.message.planned.kind, 0.0) > KILLED_AFTER
        child.event = self._universe.after(KILLED_AFTER if deaf else 0.01, self._stop, delivery_id, why, deaf)

    def _stop(self, entry: bytes, why: CancelReason, by_force: bool) -> None:  # noqa: FBT001 - as `Killed` has it
        child = self._children.pop(entry)
        self._truth.handler_ended(child.run, why)
        self._report(child, Killed(why, by_force))

    async def rest(self) -> None:
        """Nothing is left between messages."""

    async def close(self) -> None:
        """End all children."""
        for entry in list(self._children):
            await self.cancel(entry, "drain")

    def end(self) -> None:
        """End the children together with their parent."""
        for child in self._children.values():
            child.event.cancel()
        self._children.clear()

    def _report(self, child: Child, ended: RunResult) -> None:
        child.future.get_loop().call_soon_threadsafe(_set, child.future, ended)


def _set(future: asyncio.Future[RunResult], ended: RunResult) -> None:
    if not future.done():
        future.set_result(ended)
