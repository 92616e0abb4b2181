"""Manages the child processes of a worker: starts them on demand, reuses them, and ends them with the worker."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from penstock.isolation.child_handle import ChildHandle
from penstock.isolation.errors import CLOSING, NoChildError, os_errors_as_no_child
from penstock.isolation.fork_server_client import DiedWhileImportingError, ForkServerClient
from penstock.isolation.protocol import JSON, Prepare
from penstock.isolation.runs import CancelReason, Killed, ProgressReport, RunRequest, RunResult

T = TypeVar("T")
_TRIES = 3
"""Tries to start a child if its fork server dies, and to run a message if its child ends before reading it."""
_SECONDS_MORE = 8.0
"""Added to `patience`: time for signals to take effect, and for a fork server that is stuck."""


@dataclass(slots=True)
class _PooledMessage:
    """A message in this pool; it gets a child later."""

    cancelled: asyncio.Future[CancelReason]
    child: ChildHandle | None = None


class ChildPool:
    """Runs messages in child processes; see `Spawner`."""

    def __init__(  # noqa: PLR0913 - the description of the children
        self,
        target: str,
        config: Mapping[str, JSON],
        *,
        memory_limit: int | None,
        path: Sequence[str],
        patience: float = 2.0,
        kept: Sequence[int] = (),
    ) -> None:
        """`target`, a `module:callable`, creates the program from `config`. Children keep the files `kept` open.

        `patience` is the time from asking a child to stop to killing it.
        """
        self._prepare = Prepare(target, config, tuple(path), memory_limit)
        self._patience = patience
        self._kept = kept
        self._lifeline: tuple[int, int] | None = None
        self._client: asyncio.Task[ForkServerClient] | None = None
        self._closing_requested: asyncio.Future[None] | None = None
        self._children: set[ChildHandle] = set()
        self._no_children = asyncio.Event()
        self._no_children.set()
        self._idle: list[ChildHandle] = []
        self._messages: dict[bytes, _PooledMessage] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing: asyncio.Task[None] | None = None
        self.each_imports = ""
        """Why each child imports the handler itself, which is slower; empty if one import serves all."""
        self.started = 0

    @property
    def children(self) -> int:
        """The number of children, including those that start or end."""
        return len(self._children)

    @property
    def prepared(self) -> bool:
        """Whether a fork server has imported the handler and is still there."""
        client = self._client
        return client is not None and client.done() and not client.exception() and not client.result().closed

    async def start(self) -> None:
        """Import the handler before the first message."""
        await self._fork_server()

    async def run(
        self, request: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        """Run a message until it ends, `alone` in its own child or in a reused one."""
        if request.id in self._messages:
            raise RuntimeError("this message is already running here")
        deadline = None if request.seconds_left is None else time.monotonic() + request.seconds_left
        message = self._messages[request.id] = _PooledMessage(asyncio.get_running_loop().create_future())
        try:
            for _ in range(_TRIES):
                message.child = await self._child(message, alone=alone)
                if message.cancelled.done():
                    return Killed(message.cancelled.result(), by_force=False, started=False)
                if message.child is not None:
                    ended = await self._run_in(message.child, request, deadline, on_progress, alone=alone)
                    if ended is not None:
                        return ended
            raise NoChildError(f"{_TRIES} children in a row ended before they had read the message")
        finally:
            del self._messages[request.id]

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a running message to stop, and kill it if it does not."""
        if message := self._messages.get(delivery_id):
            self._cancel(message, why)

    async def rest(self) -> None:
        """End the fork server and idle children, unless a message runs or starts."""
        client = self._client
        if self._messages or self._closing is not None or client is None or not self.prepared:
            return
        self._client = None
        idle, self._idle = self._idle, []
        for child in idle:
            child.quit()
        await asyncio.shield(self._in_task(client.result().close()))

    async def close(self) -> None:
        """End all children within a limited time."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _run_in(
        self,
        child: ChildHandle,
        request: RunRequest,
        deadline: float | None,
        on_progress: Callable[[ProgressReport], None],
        *,
        alone: bool,
    ) -> RunResult | None:
        outcome = child.run(request, deadline, on_progress)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            child.cancel("drain")
            await asyncio.wait([outcome], timeout=self._patience + _SECONDS_MORE)
            raise
        finally:
            self._put_back(child, alone=alone)

    async def _child(self, message: _PooledMessage, *, alone: bool) -> ChildHandle | None:
        """Get an idle child; None if the message was cancelled, or if the child ended meanwhile."""
        while self._idle and not alone:
            child = self._idle.pop()
            if child.usable:
                return child
        starting = self._in_task(self._start_child())
        either: list[asyncio.Future[Any]] = [starting, message.cancelled]
        needed = False
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            needed = not message.cancelled.done()
        finally:
            if not needed:  # also a child that has started: a cancelled caller may not know about it
                starting.add_done_callback(lambda done: self._put_back_unused(done, alone=alone))
        if not needed:
            return None
        child = starting.result()
        return child if child.usable else None

    def _put_back_unused(self, starting: asyncio.Task[ChildHandle], *, alone: bool) -> None:
        """Put back a new child that is no longer needed."""
        if not starting.cancelled() and starting.exception() is None:
            self._put_back(starting.result(), alone=alone)

    def _put_back(self, child: ChildHandle, *, alone: bool) -> None:
        if child.usable and not alone and self._closing is None:
            self._idle.append(child)
        else:
            child.quit()

    async def _start_child(self) -> ChildHandle:
        problem: Exception | None = None
        for _ in range(_TRIES):
            client = await self._fork_server()
            child = client.request_child(self._patience, self._child_gone)
            self._children.add(child)
            self._no_children.clear()
            problem = await child.ready
            if problem is None:
                self.started += 1
                return child
            if not client.closed:
                break
        raise problem or NoChildError("")

    def _child_gone(self, child: ChildHandle) -> None:
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)
        if not self._children:
            self._no_children.set()

    async def _fork_server(self) -> ForkServerClient:
        """Get the current fork server, or start a new one."""
        if self._closing is not None:
            raise NoChildError(CLOSING)
        current = self._client
        if current is not None and current.done() and (current.exception() or current.result().closed):
            if not current.exception():
                self._in_task(current.result().close())
            current = None
        if current is None:
            self._closing_requested = self._closing_requested or asyncio.get_running_loop().create_future()
            current = self._client = self._in_task(self._open(self._closing_requested))
        return await asyncio.shield(current)

    async def _open(self, closing: asyncio.Future[None]) -> ForkServerClient:
        if self._lifeline is None:
            with os_errors_as_no_child():
                self._lifeline = os.pipe()
        for tries_left in reversed(range(_TRIES)):
            try:
                client = await ForkServerClient.open(self._prepare, self._lifeline[0], closing, self._kept)
            except DiedWhileImportingError:
                if not tries_left:
                    raise
            else:
                self.each_imports = client.each_imports
                return client
        raise AssertionError("the last try returns or raises")

    def _cancel(self, message: _PooledMessage, why: CancelReason) -> None:
        if not message.cancelled.done():
            message.cancelled.set_result(why)
        if message.child is not None:
            message.child.cancel(why)

    async def _close(self) -> None:
        for message in self._messages.values():
            self._cancel(message, "drain")
        for child in list(self._children):
            child.quit()
        if self._closing_requested is not None:
            self._closing_requested.set_result(None)
        await self._wait_for_no_children(2 * self._patience + _SECONDS_MORE)
        if self._client is not None:
            await asyncio.wait([self._client])
            if not self._client.exception():
                await self._client.result().close()
        if self._lifeline is not None:
            for end in self._lifeline:
                os.close(end)
        await self._wait_for_no_children(_SECONDS_MORE)  # the closed lifeline kills them
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _wait_for_no_children(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._no_children.wait(), seconds)

    def _in_task(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run it in its own task, so that it is not cancelled together with its caller."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # or asyncio would log it
        return task
