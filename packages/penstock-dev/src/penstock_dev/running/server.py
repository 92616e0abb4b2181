"""The Redis of all that runs here: one of our own that is brought back when it dies, or one that was named."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from random import randrange
from types import TracebackType
from typing import Protocol, Self

from penstock.embedded import LOOPBACK, Embedded, Held, running_in, shared
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.snapshot import Level
from penstock_spec.findings import CannotGoOn

LOOK = 0.25
"""Seconds between two looks at whether it still runs."""
AGAIN = 5.0
"""Seconds until it is tried again to start one that does not."""
LASTING = (11_000, 22_000)
"""Ports that systems give to no outgoing connection: who looks for a Redis that is away might else get its port."""


def lasting_port() -> int:
    """One that is free, and stays so while a server that had it is away."""
    while True:
        port = randrange(*LASTING)  # noqa: S311 - no secret
        with suppress(OSError), socket.socket() as one:
            one.bind((LOOPBACK, port))
            return port


class RedisServer(Protocol):
    """What the rest needs to know of it."""

    @property
    def url(self) -> str:
        """Where it is."""
        ...

    @property
    def ours(self) -> bool:
        """Whether it is ours to stop."""
        ...

    async def keep(self) -> None:
        """Bring it back when it dies; without end."""
        ...

    async def stop(self) -> None:
        """As if its machine were gone. Raises CannotGoOn."""
        ...

    async def start(self) -> None:
        """Bring back what was stopped. Raises CannotGoOn."""
        ...


class ExternalRedis:
    """One that somebody else runs."""

    ours = False

    def __init__(self, url: str) -> None:
        """By its URL."""
        self.url = url

    async def keep(self) -> None:
        """It is theirs."""
        await asyncio.Event().wait()

    async def stop(self) -> None:
        """Never."""
        raise CannotGoOn("this Redis is not ours to stop", "stop it where it runs")

    async def start(self) -> None:
        """Never."""
        raise CannotGoOn("this Redis is not ours to start", "start it where it runs")


class RepositoryRedis:
    """The embedded one of this repository: ours, or another command's for as long as that runs."""

    def __init__(self, folder: Path, log: LogBuffer) -> None:
        """Nothing runs yet."""
        self._folder = folder
        self._log = log
        self._ends = ExitStack()
        self._own: Embedded | None = None
        self._url = ""
        self._stopped = False
        self._busy = asyncio.Lock()
        self._try_again = 0.0

    def __enter__(self) -> Self:
        """Start it, or use the one that runs. Raises CannotGoOn."""
        self._find(lasting_port())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it, or leave it to those who use it."""
        self._ends.close()

    @property
    def url(self) -> str:
        """Where it is."""
        return self._own.url if self._own else self._url

    @property
    def ours(self) -> bool:
        """Whether it is ours to stop."""
        return self._own is not None

    async def keep(self) -> None:
        """Bring it back when it dies."""
        while True:
            await asyncio.sleep(LOOK)
            if self._stopped or self._busy.locked() or not self._gone() or time.monotonic() < self._try_again:
                continue
            self._log.write("Redis has ended by itself; it is started again", level=Level.WARNING)
            try:
                await self._bring_back()
            except CannotGoOn as error:
                self._try_again = time.monotonic() + AGAIN
                self._log.write(error.says, level=Level.ERROR)

    async def stop(self) -> None:
        """As if its machine were gone. Raises CannotGoOn."""
        if self._own is None:
            raise CannotGoOn("this Redis belongs to another command of this repository", "stop that one")
        if self._stopped:
            raise CannotGoOn("Redis is stopped already", "start it again first")
        self._stopped = True
        self._own.kill()

    async def start(self) -> None:
        """Bring back what was stopped. Raises CannotGoOn."""
        if not self._stopped:
            raise CannotGoOn("Redis runs already")
        await self._bring_back()
        self._stopped = False

    def _gone(self) -> bool:
        return self._own.has_ended() if self._own else running_in(self._folder) is None

    async def _bring_back(self) -> None:
        async with self._busy:
            # It takes as long as it takes to read what was written down; the rest goes on meanwhile.
            await asyncio.to_thread(self._own.restart if self._own else self._take_over)

    def _take_over(self) -> None:
        """Whoever ran it is gone, and it with them."""
        self._ends.close()
        self._find(int(self._url.rpartition(":")[2]))

    def _find(self, port: int) -> None:
        try:
            self._own = self._ends.enter_context(Embedded(self._folder, appendonly=True, port=port))
        except Held:
            self._url = self._ends.enter_context(shared(self._folder))
