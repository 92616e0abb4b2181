"""One connection to one server, dropped at its first error.

Each command is sent once. After a cancelled or unanswered command, the connection is dropped, because a late answer
would be read as the answer to the next command.

A time limit bounds the time without progress, not the whole transfer: a large answer over a slow link may take as long
as bytes arrive.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from penstock.wire.errors import Oversized, Refused, Reply, Unanswered, reason
from penstock.wire.socket import Ended, OversizedError, Socket

LAST_READ = 0.02
"""Seconds for the event loop to read data that has already arrived."""


class Address(NamedTuple):
    """The address of a server."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `host:port`, as in the platform file."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def of(cls, text: str) -> Address:
        """Parse `host:port`."""
        host, _, port = text.rpartition(":")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))


class Connection:
    """One connection to one server; `Connector.open` creates it."""

    __slots__ = ("_loop", "_overdue", "_seen", "_socket", "_waited", "address", "client_id")

    def __init__(self, socket: Socket, address: Address) -> None:
        """Take over a socket."""
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._overdue: asyncio.TimerHandle | None = None
        self._seen: tuple[int, int] = (0, 0)
        self._waited = 0.0
        self.address = address
        self.client_id: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is open, as far as the event loop knows."""
        return self._socket.is_open

    @property
    def is_usable(self) -> bool:
        """Whether it is open and no unexpected data has arrived. Sends nothing."""
        return self._socket.is_clean

    @property
    def received(self) -> int:
        """Bytes that arrived since it was opened."""
        return self._socket.received

    async def ask(
        self, command: bytes, within: float, *, gap: float | None = None, most: int | None = None
    ) -> Reply | Refused:
        """Send one packed command and return its answer. Raises Unanswered; the connection is then closed.

        `within` bounds the time until the first progress, `gap` the time without progress after that. An answer with
        more than `most` bytes is Oversized.
        """
        (answer,) = await self._ask(command, 1, within, within if gap is None else gap, most)
        return answer

    async def ask_all(self, commands: bytes, count: int, within: float) -> list[Reply | Refused]:
        """Send packed commands together and return all answers. `within` bounds the time without progress."""
        return await self._ask(commands, count, within, within, None) if count else []

    def start(self, command: bytes, within: float, done: Callable[[Reply | Refused | Unanswered], None]) -> None:
        """Send one packed command, and pass its answer to `done`. After Unanswered, the connection is closed."""

        def ended(error: Exception | None) -> None:
            self._stop_watch()
            done(self._socket.answers[0] if error is None else self._unanswered(error, 1, None))

        self._send(command, 1, within, within, None, ended)

    async def _ask(
        self, commands: bytes, count: int, within: float, gap: float, most: int | None
    ) -> list[Reply | Refused]:
        waiting: asyncio.Future[Exception | None] = self._loop.create_future()

        def ended(error: Exception | None) -> None:
            if not waiting.done():
                waiting.set_result(error)

        self._send(commands, count, within, gap, most, ended)
        try:
            error = await waiting
        except BaseException:
            self.drop()
            raise
        finally:
            self._stop_watch()
        if error is not None:
            raise self._unanswered(error, count, most) from error
        return self._socket.answers

    def _send(  # noqa: PLR0913, PLR0917 - what bounds a command
        self, commands: bytes, count: int, within: float, gap: float, most: int | None, ended: Ended
    ) -> None:
        socket = self._socket
        self._seen = socket.received, -1
        self._overdue = self._loop.call_later(within, self._check_progress, within, gap)
        socket.most = None if most is None else socket.received + most
        socket.send(commands, count, ended)

    def _unanswered(self, error: Exception, count: int, most: int | None) -> Unanswered:
        self.drop()
        if isinstance(error, OversizedError):
            return Oversized(f"the answer of {self.address} has more than {most} bytes")
        answers = self._socket.answers
        came = "" if count == 1 else f"; {len(answers)} of {count} answers came"
        return Unanswered(f"{self._describe(error)}{came}", answers)

    def _stop_watch(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def drop(self) -> None:
        """Close at once, even with a command in flight."""
        self.client_id = None
        self._socket.close()

    def _check_progress(self, waited: float, gap: float) -> None:
        """Wait on while bytes come in or go out, then read once more: this event loop may have been blocked."""
        seen, self._seen = self._seen, (self._socket.received, self._socket.unsent())
        if self._seen[0] != seen[0] or self._seen[1] < seen[1]:
            self._overdue = self._loop.call_later(gap, self._check_progress, gap, gap)
        elif seen[1] < 0 < self._seen[1]:  # the command is still being sent: only the next check can see progress
            self._overdue = self._loop.call_later(gap, self._check_progress, waited, gap)
        else:
            self._overdue = self._loop.call_later(LAST_READ, self._give_up, waited)

    def _give_up(self, waited: float) -> None:
        self._waited = waited
        self._socket.close(TimeoutError())

    def _describe(self, error: Exception) -> str:
        if self._waited:
            return f"{self.address} did not answer within {self._waited:g} s"
        return f"{self.address} closed the connection: {reason(error)}"
