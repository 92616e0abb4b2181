"""What handlers do, by the kind of their message.

ok          returns
flaky       fails the first time
bad         fails every time
slow        takes longer than it may, and stops when it is told to
stubborn    takes longer than it may, and does not stop
reluctant   takes longer than it may, and finishes its work when it is told to stop
blocker     holds up its loop for so long
leaver      leaves a result
poison      takes its process down, a child if it runs in one
mega        takes the worker's process down, even from a child
unreadable  no handler ever sees it
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from penstock.handling.failures import Failure
from penstock.isolation.runs import CancelReason, Crashed, Killed, ProgressReport, Returned, RunRequest, RunResult
from penstock.worker.context import Context
from penstock.worker.outcome import DONE, Failed, Unreadable, encode

from .records import Given, Run
from .truth import Truth
from .universe import Event, Universe

DEAF = {"stubborn": 12.0, "reluctant": 5.0}
"""Seconds that a handler goes on after it was cancelled, and then returns; a worker has less patience, or more."""
KILLED_AFTER = 3.0
"""Seconds after which a child that does not listen is killed."""


class FailedError(Exception):
    """As handlers fail."""


class Process(Protocol):
    """Where handlers run."""

    name: str

    def crash(self, cause: Run | None = None) -> None:
        """It ends at once."""

    def block(self, seconds: float) -> None:
        """Its main loop stands still, its other thread does not."""


class Handlers:
    """Those of one process."""

    def __init__(self, process: Process, truth: Truth) -> None:
        self._process = process
        self._truth = truth

    async def handle(self, message: dict[str, str], context: Context) -> None:
        """An `async` one."""
        run = self._begins(message, context)
        await self._work(run, context)

    def handle_in_thread(self, message: dict[str, str], context: Context) -> Coroutine[Any, Any, None]:
        """A plain one; what its thread does is told as a coroutine."""
        return self._work_in_thread(self._begins(message, context), context)

    def _begins(self, message: dict[str, str], context: Context) -> Run:
        one = context._delivery  # noqa: SLF001 - what a context shows of it is less than what is checked
        given = Given(one.id, one.consumer, one.count, self._process.name, one.source)
        named = self._truth.messages[message["id"]]
        return self._truth.begins(named, given, one.attempt, lambda: context.why, apart=False)

    async def _work_in_thread(self, run: Run, context: Context) -> None:
        try:
            await asyncio.sleep(seconds_of(run))
            await self._end(run, context)
        except asyncio.CancelledError:  # only when the world ends
            self._truth.ends(run, "over")
            raise

    async def _work(self, run: Run, context: Context) -> None:
        try:
            await asyncio.sleep(seconds_of(run))
        except asyncio.CancelledError:
            deaf = DEAF.get(run.message.said.kind)
            if deaf is not None:
                how: str = context.why or "over"
                try:
                    await asyncio.sleep(deaf)
                    how = "ok" if run.message.said.kind == "reluctant" else how
                finally:
                    self._truth.ends(run, how)
                return
            self._truth.ends(run, context.why or "over")
            raise
        await self._end(run, context)

    async def _end(self, run: Run, context: Context) -> None:
        kind = run.message.said.kind
        if kind == "blocker" and len(run.message.runs) == 1:
            self._process.block(8.0)
            await asyncio.sleep(0)
        if kind in ("poison", "mega"):
            self._process.crash(run)
            await asyncio.get_running_loop().create_future()  # nothing of this process ever runs again
        if fails(run):
            self._truth.ends(run, "fail")
            raise FailedError(kind)
        if kind == "leaver":
            context.leave({"id": run.message.name})
        self._truth.ends(run, "ok")


def seconds_of(run: Run) -> float:
    return run.message.said.seconds


def fails(run: Run) -> bool:
    kind = run.message.said.kind
    return kind == "bad" or (kind == "flaky" and sum(one.how == "fail" for one in run.message.runs) == 0)


class Child:
    """A child process with one message."""

    def __init__(self, future: asyncio.Future[RunResult]) -> None:
        self.future = future
        self.why: CancelReason | None = None
        """Why it was cancelled, if it was."""
        self.run: Run
        self.event: Event


class Spawner:
    """Children of one process. They go on while it stands still, and end when it does."""

    def __init__(self, process: Process, truth: Truth, universe: Universe) -> None:
        self._process = process
        self._truth = truth
        self._universe = universe
        self._children: dict[bytes, Child] = {}
        self.started = 0
        self.each_imports = ""

    @property
    def children(self) -> int:
        return len(self._children)

    async def start(self) -> None:
        """Nothing is needed ahead."""

    async def run(
        self, delivery: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        del alone, on_progress
        fields = [part for pair in delivery.fields for part in pair]
        message = self._truth.message_of(delivery.id, fields)
        if message.said.kind == "unreadable":
            return Returned(encode(Unreadable("not-json", "it is none")))
        child = Child(asyncio.get_running_loop().create_future())
        given = Given(delivery.id, delivery.consumer, delivery.fence, self._process.name, "")
        child.run = self._truth.begins(message, given, delivery.attempt, lambda: child.why, apart=True)
        child.event = self._universe.after(0.05 + seconds_of(child.run), self._finish, delivery.id)
        self._children[delivery.id] = child
        self.started += 1
        return await child.future

    def _finish(self, entry: bytes) -> None:
        child = self._children.pop(entry)
        kind = child.run.message.said.kind
        if kind == "mega":
            self._process.crash(child.run)
        elif kind == "poison":
            self._truth.ends(child.run, "crash-own")
            self._tell(child, Crashed(-9, "it was killed by SIGKILL"))
        elif fails(child.run):
            self._truth.ends(child.run, "fail")
            self._tell(child, Returned(encode(Failed(Failure.of(FailedError(kind))))))
        else:
            self._truth.ends(child.run, "ok")
            self._tell(child, Returned(encode(DONE)))

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """It is told, and ends soon; or is killed."""
        child = self._children.get(delivery_id)
        if child is None or child.why is not None:
            return
        child.why = why
        child.event.cancel()
        deaf = DEAF.get(child.run.message.said.kind, 0.0) > KILLED_AFTER
        child.event = self._universe.after(KILLED_AFTER if deaf else 0.01, self._stop, delivery_id, why, deaf)

    def _stop(self, entry: bytes, why: CancelReason, by_force: bool) -> None:  # noqa: FBT001 - as `Killed` has it
        child = self._children.pop(entry)
        self._truth.ends(child.run, why)
        self._tell(child, Killed(why, by_force))

    async def close(self) -> None:
        """End all children."""
        for entry in list(self._children):
            await self.cancel(entry, "drain")

    def end(self) -> None:
        """Their parent is gone, and so are they."""
        for child in self._children.values():
            child.event.cancel()
        self._children.clear()

    def _tell(self, child: Child, ended: RunResult) -> None:
        child.future.get_loop().call_soon_threadsafe(_set, child.future, ended)


def _set(future: asyncio.Future[RunResult], ended: RunResult) -> None:
    if not future.done():
        future.set_result(ended)
