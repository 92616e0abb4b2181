"""The children of a worker: born when they are needed, used again, ended when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from penstock.isolation.child_handle import ChildHandle
from penstock.isolation.errors import UNWANTED, NoChildError, os_errors_as_no_child
from penstock.isolation.fork_server_client import DiedWhileImportingError, ForkServerClient
from penstock.isolation.protocol import JSON, Prepare
from penstock.isolation.runs import CancelReason, Killed, ProgressReport, RunRequest, RunResult

T = TypeVar("T")
_TRIES = 3
"""For a child whose fork server died meanwhile, and for a message whose child was gone before it had read it."""
_SECONDS_MORE = 8.0
"""Beyond patience: for signals to work, and for a fork server that is stuck."""


@dataclass(slots=True)
class _Way:
    """A message on its way: without a child first, then with one."""

    called_off: asyncio.Future[CancelReason]
    child: ChildHandle | None = None


class ChildPool:
    """Runs messages in child processes; see `Spawner` for what is promised."""

    def __init__(
        self,
        target: str,
        config: Mapping[str, JSON],
        *,
        memory_limit: int | None,
        path: Sequence[str],
        patience: float = 2.0,
    ) -> None:
        """Run what `target`, a `module:callable`, makes of `config`; `patience` is between asking and killing."""
        self._asked = Prepare(target, config, tuple(path), memory_limit)
        self._patience = patience
        self._lifeline: tuple[int, int] | None = None
        self._client: asyncio.Task[ForkServerClient] | None = None
        self._unwanted: asyncio.Future[None] | None = None
        self._children: set[ChildHandle] = set()
        self._no_children = asyncio.Event()
        self._no_children.set()
        self._idle: list[ChildHandle] = []
        self._ways: dict[bytes, _Way] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing: asyncio.Task[None] | None = None
        self.each_imports = ""
        """Why children import the handler one by one, which is slower; empty while they do not."""
        self.started = 0

    @property
    def children(self) -> int:
        """Those that there are now; one that is being born, or ends, counts."""
        return len(self._children)

    async def start(self) -> None:
        """Import the handler ahead of the first message."""
        await self._fork_server()

    async def run(
        self, request: RunRequest, *, alone: bool, on_progress: Callable[[ProgressReport], None]
    ) -> RunResult:
        """Run a message to its end, in a child of its own or in one that is used again."""
        if request.id in self._ways:
            raise RuntimeError("this message is running here already")
        deadline = None if request.seconds_left is None else time.monotonic() + request.seconds_left
        way = self._ways[request.id] = _Way(asyncio.get_running_loop().create_future())
        try:
            for _ in range(_TRIES):
                way.child = await self._child(way, alone=alone)
                if way.called_off.done():
                    return Killed(way.called_off.result(), by_force=False, begun=False)
                if way.child is not None:
                    ended = await self._see_through(way.child, request, deadline, on_progress, alone=alone)
                    if ended is not None:
                        return ended
            raise NoChildError("one child after the other was gone before it had read the message")
        finally:
            del self._ways[request.id]

    async def cancel(self, delivery_id: bytes, why: CancelReason) -> None:
        """Ask a running message to stop, and kill it if it does not."""
        if way := self._ways.get(delivery_id):
            self._call_off(way, why)

    async def close(self) -> None:
        """End all children, in a bounded time."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _see_through(
        self,
        child: ChildHandle,
        request: RunRequest,
        deadline: float | None,
        on_progress: Callable[[ProgressReport], None],
        *,
        alone: bool,
    ) -> RunResult | None:
        outcome = child.begin(request, deadline, on_progress)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            child.cancel("drain")
            await asyncio.wait([outcome], timeout=self._patience + _SECONDS_MORE)
            raise
        finally:
            self._put_back(child, alone=alone)

    async def _child(self, way: _Way, *, alone: bool) -> ChildHandle | None:
        """Give a child that waits for a message; None when it is called off, or gone already."""
        while self._idle and not alone:
            child = self._idle.pop()
            if child.usable:
                return child
        birth = self._go(self._birth())
        either: list[asyncio.Future[Any]] = [birth, way.called_off]
        wanted = False
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            wanted = not way.called_off.done()
        finally:
            if not wanted:  # also one that is born already: who is cancelled may not have heard of it
                birth.add_done_callback(lambda born: self._spare(born, alone=alone))
        if not wanted:
            return None
        child = birth.result()
        return child if child.usable else None

    def _spare(self, birth: asyncio.Task[ChildHandle], *, alone: bool) -> None:
        """Nobody waits any more for a child that was born."""
        if not birth.cancelled() and birth.exception() is None:
            self._put_back(birth.result(), alone=alone)

    def _put_back(self, child: ChildHandle, *, alone: bool) -> None:
        if child.usable and not alone and self._closing is None:
            self._idle.append(child)
        else:
            child.leave()

    async def _birth(self) -> ChildHandle:
        trouble: Exception | None = None
        for _ in range(_TRIES):
            client = await self._fork_server()
            child = client.ask(self._patience, self._gone)
            self._children.add(child)
            self._no_children.clear()
            trouble = await child.ready
            if trouble is None:
                self.started += 1
                return child
            if not client.closed:
                break
        raise trouble or NoChildError("")

    def _gone(self, child: ChildHandle) -> None:
        self._children.discard(child)
        if child in self._idle:
            self._idle.remove(child)
        if not self._children:
            self._no_children.set()

    async def _fork_server(self) -> ForkServerClient:
        """Give the fork server that there is, or a new one."""
        if self._closing is not None:
            raise NoChildError(UNWANTED)
        last = self._client
        if last is not None and last.done() and (last.exception() or last.result().closed):
            if not last.exception():
                self._go(last.result().close())
            last = None
        if last is None:
            self._unwanted = self._unwanted or asyncio.get_running_loop().create_future()
            last = self._client = self._go(self._open(self._unwanted))
        return await asyncio.shield(last)

    async def _open(self, unwanted: asyncio.Future[None]) -> ForkServerClient:
        if self._lifeline is None:
            with os_errors_as_no_child():
                self._lifeline = os.pipe()
        for tries_left in reversed(range(_TRIES)):
            try:
                client = await ForkServerClient.open(self._asked, self._lifeline[0], unwanted)
            except DiedWhileImportingError:
                if not tries_left:
                    raise
            else:
                self.each_imports = client.each_imports
                return client
        raise AssertionError("the last try returns or raises")

    def _call_off(self, way: _Way, why: CancelReason) -> None:
        if not way.called_off.done():
            way.called_off.set_result(why)
        if way.child is not None:
            way.child.cancel(why)

    async def _close(self) -> None:
        for way in self._ways.values():
            self._call_off(way, "drain")
        for child in list(self._children):
            child.leave()
        if self._unwanted is not None:
            self._unwanted.set_result(None)
        await self._wait_for_no_children(2 * self._patience + _SECONDS_MORE)
        if self._client is not None:
            await asyncio.wait([self._client])
            if not self._client.exception():
                await self._client.result().close()
        if self._lifeline is not None:
            for end in self._lifeline:
                os.close(end)
        await self._wait_for_no_children(_SECONDS_MORE)  # what the end of the lifeline has killed
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _wait_for_no_children(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._no_children.wait(), seconds)

    def _go(self, what: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do it on the side; who waits for it may be cancelled, and it is not."""
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, so that none is logged
        return task
