"""The Redis that all processes share: the embedded one, restarted when it dies, or one given by URL."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from random import randrange
from types import TracebackType
from typing import Protocol, Self

from penstock.embedded import LOOPBACK, Embedded, FolderInUse, running_in, shared
from penstock_dev.running.log_buffer import LogBuffer
from penstock_dev.snapshot import Level
from penstock_spec.findings import CannotGoOn

CHECK_INTERVAL = 0.25
"""Seconds between two checks whether it runs."""
RETRY_INTERVAL = 5.0
"""Seconds between two attempts to restart it."""
PORTS = (11_000, 22_000)
"""Outside the ephemeral range: a client of a stopped Redis must not get its port by chance."""


def free_port() -> int:
    """A free port that no outgoing connection takes while the server is down."""
    while True:
        port = randrange(*PORTS)  # noqa: S311 - not a secret
        with suppress(OSError), socket.socket() as one:
            one.bind((LOOPBACK, port))
            return port


class RedisServer(Protocol):
    """A Redis server."""

    @property
    def url(self) -> str: ...

    @property
    def owned(self) -> bool:
        """Whether this process started it, and so may stop it."""
        ...

    async def keep(self) -> None:
        """Restart it when it dies, forever."""
        ...

    async def stop(self) -> None:
        """Kill it. Raises CannotGoOn."""
        ...

    async def start(self) -> None:
        """Restart it after `stop`. Raises CannotGoOn."""
        ...


class ExternalRedis:
    """A Redis given by URL, which `penstock dev` neither stops nor starts."""

    owned = False

    def __init__(self, url: str) -> None:
        self.url = url

    async def keep(self) -> None:
        await asyncio.Event().wait()

    async def stop(self) -> None:
        raise CannotGoOn("`penstock dev` did not start this Redis", "stop it where it runs")

    async def start(self) -> None:
        raise CannotGoOn("`penstock dev` did not start this Redis", "start it where it runs")


class RepositoryRedis:
    """The repository's embedded Redis: started here, or shared with another command while that runs."""

    def __init__(self, folder: Path, log: LogBuffer) -> None:
        """Does not start it yet."""
        self._folder = folder
        self._log = log
        self._exits = ExitStack()
        self._embedded: Embedded | None = None
        self._url = ""
        self._stopped = False
        self._busy = asyncio.Lock()
        self._retry_at = 0.0

    def __enter__(self) -> Self:
        """Start it, or share a running one. Raises CannotGoOn."""
        self._open(free_port())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it, unless another command runs it."""
        self._exits.close()

    @property
    def url(self) -> str:
        return self._embedded.url if self._embedded else self._url

    @property
    def owned(self) -> bool:
        return self._embedded is not None

    async def keep(self) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL)
            if self._stopped or self._busy.locked() or not self._has_exited() or time.monotonic() < self._retry_at:
                continue
            self._log.write("Redis exited; restarting it", level=Level.WARNING)
            try:
                await self._restart()
            except CannotGoOn as error:
                self._retry_at = time.monotonic() + RETRY_INTERVAL
                self._log.write(error.says, level=Level.ERROR)

    async def stop(self) -> None:
        if self._embedded is None:
            raise CannotGoOn("another command of this repository runs this Redis", "stop that command")
        if self._stopped:
            raise CannotGoOn("Redis is already stopped", "start it first")
        self._stopped = True
        self._embedded.kill()

    async def start(self) -> None:
        if not self._stopped:
            raise CannotGoOn("Redis is already running")
        await self._restart()
        self._stopped = False

    def _has_exited(self) -> bool:
        return self._embedded.has_ended() if self._embedded else running_in(self._folder) is None

    async def _restart(self) -> None:
        async with self._busy:
            # Loading the saved data may take long; the event loop goes on meanwhile.
            await asyncio.to_thread(self._embedded.restart if self._embedded else self._take_over)

    def _take_over(self) -> None:
        """Start it at the same port: the command that ran it has exited."""
        self._exits.close()
        self._open(int(self._url.rpartition(":")[2]))

    def _open(self, port: int) -> None:
        try:
            self._embedded = self._exits.enter_context(Embedded(self._folder, appendonly=True, port=port))
        except FolderInUse:
            self._url = self._exits.enter_context(shared(self._folder))
