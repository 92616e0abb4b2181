"""The children of a worker: born when they are needed, used again, ended when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from penstock.isolation.births import Births, DiedWhileImporting
from penstock.isolation.errand import Ended, Errand, Killed, Progress, Why
from penstock.isolation.kid import Kid
from penstock.isolation.trouble import UNWANTED, NoChild, refusals
from penstock.isolation.words import JSON, Prepare

T = TypeVar("T")
_TRIES = 3
"""For a child whose nursery died meanwhile, and for a message whose child was gone before it had read it."""
_SECONDS_MORE = 8.0
"""Beyond patience: for signals to work, and for a nursery that is stuck."""


@dataclass(slots=True)
class _Way:
    """A message on its way: without a child first, then with one."""

    called_off: asyncio.Future[Why]
    kid: Kid | None = None


class Processes:
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
        self._births: asyncio.Task[Births] | None = None
        self._unwanted: asyncio.Future[None] | None = None
        self._kids: set[Kid] = set()
        self._no_kids = asyncio.Event()
        self._no_kids.set()
        self._idle: list[Kid] = []
        self._ways: dict[bytes, _Way] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing: asyncio.Task[None] | None = None
        self.each_imports = ""
        """Why children import the handler one by one, which is slower; empty while they do not."""
        self.started = 0

    @property
    def children(self) -> int:
        """Those that there are now; one that is being born, or ends, counts."""
        return len(self._kids)

    async def start(self) -> None:
        """Import the handler ahead of the first message."""
        await self._nursery()

    async def run(self, errand: Errand, *, alone: bool, on_progress: Callable[[Progress], None]) -> Ended:
        """Run a message to its end, in a child of its own or in one that is used again."""
        if errand.id in self._ways:
            raise RuntimeError("this message is running here already")
        deadline = None if errand.seconds_left is None else time.monotonic() + errand.seconds_left
        way = self._ways[errand.id] = _Way(asyncio.get_running_loop().create_future())
        try:
            for _ in range(_TRIES):
                way.kid = await self._kid(way, alone=alone)
                if way.called_off.done():
                    return Killed(way.called_off.result(), by_force=False, begun=False)
                if way.kid is not None:
                    ended = await self._see_through(way.kid, errand, deadline, on_progress, alone=alone)
                    if ended is not None:
                        return ended
            raise NoChild("one child after the other was gone before it had read the message")
        finally:
            del self._ways[errand.id]

    async def cancel(self, delivery_id: bytes, why: Why) -> None:
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
        kid: Kid,
        errand: Errand,
        deadline: float | None,
        on_progress: Callable[[Progress], None],
        *,
        alone: bool,
    ) -> Ended | None:
        outcome = kid.begin(errand, deadline, on_progress)
        try:
            return await asyncio.shield(outcome)
        except asyncio.CancelledError:
            kid.cancel("drain")
            await asyncio.wait([outcome], timeout=self._patience + _SECONDS_MORE)
            raise
        finally:
            self._put_back(kid, alone=alone)

    async def _kid(self, way: _Way, *, alone: bool) -> Kid | None:
        """Give a child that waits for a message; None when it is called off, or gone already."""
        while self._idle and not alone:
            kid = self._idle.pop()
            if kid.usable:
                return kid
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
        kid = birth.result()
        return kid if kid.usable else None

    def _spare(self, birth: asyncio.Task[Kid], *, alone: bool) -> None:
        """Nobody waits any more for a child that was born."""
        if not birth.cancelled() and birth.exception() is None:
            self._put_back(birth.result(), alone=alone)

    def _put_back(self, kid: Kid, *, alone: bool) -> None:
        if kid.usable and not alone and self._closing is None:
            self._idle.append(kid)
        else:
            kid.leave()

    async def _birth(self) -> Kid:
        trouble: Exception | None = None
        for _ in range(_TRIES):
            births = await self._nursery()
            kid = births.ask(self._patience, self._gone)
            self._kids.add(kid)
            self._no_kids.clear()
            trouble = await kid.ready
            if trouble is None:
                self.started += 1
                return kid
            if not births.over:
                break
        raise trouble or NoChild("")

    def _gone(self, kid: Kid) -> None:
        self._kids.discard(kid)
        if kid in self._idle:
            self._idle.remove(kid)
        if not self._kids:
            self._no_kids.set()

    async def _nursery(self) -> Births:
        """Give the nursery that there is, or a new one."""
        if self._closing is not None:
            raise NoChild(UNWANTED)
        last = self._births
        if last is not None and last.done() and (last.exception() or last.result().over):
            if not last.exception():
                self._go(last.result().close())
            last = None
        if last is None:
            self._unwanted = self._unwanted or asyncio.get_running_loop().create_future()
            last = self._births = self._go(self._open(self._unwanted))
        return await asyncio.shield(last)

    async def _open(self, unwanted: asyncio.Future[None]) -> Births:
        if self._lifeline is None:
            with refusals():
                self._lifeline = os.pipe()
        for tries_left in reversed(range(_TRIES)):
            try:
                births = await Births.open(self._asked, self._lifeline[0], unwanted)
            except DiedWhileImporting:
                if not tries_left:
                    raise
            else:
                self.each_imports = births.each_imports
                return births
        raise AssertionError("the last try returns or raises")

    def _call_off(self, way: _Way, why: Why) -> None:
        if not way.called_off.done():
            way.called_off.set_result(why)
        if way.kid is not None:
            way.kid.cancel(why)

    async def _close(self) -> None:
        for way in self._ways.values():
            self._call_off(way, "drain")
        for kid in list(self._kids):
            kid.leave()
        if self._unwanted is not None:
            self._unwanted.set_result(None)
        await self._wait_for_no_kids(2 * self._patience + _SECONDS_MORE)
        if self._births is not None:
            await asyncio.wait([self._births])
            if not self._births.exception():
                await self._births.result().close()
        if self._lifeline is not None:
            for end in self._lifeline:
                os.close(end)
        await self._wait_for_no_kids(_SECONDS_MORE)  # what the end of the lifeline has killed
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _wait_for_no_kids(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._no_kids.wait(), seconds)

    def _go(self, what: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Do it on the side; who waits for it may be cancelled, and it is not."""
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, so that none is logged
        return task
