"""One connection to one server, dropped at its first error.

redis-py connects and reads; each command is sent once. After a cancelled or unanswered command, the connection is
dropped, because a late answer would be read as the answer to the next command.

A time limit bounds the time without progress, not the whole transfer: a large answer over a slow link may take as long
as bytes arrive.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple, cast

from redis._parsers import _AsyncHiredisParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from penstock.wire.errors import Oversized, Refused, Reply, Unanswered, reason
from penstock.wire.socket import Socket, TlsSocket

CLOSED_BY_SERVER = "Connection closed by server."
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


class Answers(_AsyncHiredisParser):
    """redis-py's parser, but an error is a value and keeps its code, and it counts the bytes that arrive.

    redis-py removes the code of errors that it knows, and drops the connection for some of them.
    """

    def __init__(self, socket_read_size: int) -> None:
        """Count from zero."""
        super().__init__(socket_read_size)
        self.received = 0
        """Bytes since the connection was opened."""
        self.most: int | None = None
        """The value of `received` above which an answer is too large."""

    async def read_from_socket(self) -> bool:
        """Read once, as redis-py does."""
        stream = self._stream
        data = await stream.read(self._read_size) if stream is not None else b""
        if not data:
            raise RedisConnectionError(CLOSED_BY_SERVER)
        self.received += len(data)
        if self.most is not None and self.received > self.most:
            raise _OversizedError
        cast("Any", self._reader).feed(data)  # redis-py declares it as None
        return True

    @classmethod
    def parse_error(cls, response: str) -> Refused:
        """Keep the complete answer."""
        return Refused(response)


class _OversizedError(RedisError):
    """An answer is larger than its reader allows."""


class Connection:
    """One connection to one server; `Connector.open` creates it."""

    __slots__ = ("_loop", "_overdue", "_parser", "_seen", "_socket", "_waited", "address", "client_id")

    def __init__(self, socket: Socket | TlsSocket, address: Address) -> None:
        """Take over a socket."""
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._parser = cast("Answers", socket._parser)  # noqa: SLF001 - `Connector` chose its class
        self._overdue: asyncio.TimerHandle | None = None
        self._seen: tuple[int, int] = (0, 0)
        self._waited = 0.0
        self.address = address
        self.client_id: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it was not dropped. Does not check for incoming data or a disconnect by the server."""
        return bool(self._socket.is_connected)

    async def is_usable(self) -> bool:
        """Whether it is open and no unexpected data has arrived. Sends nothing."""
        return self._socket.is_connected and not await self._socket.can_read()

    @property
    def received(self) -> int:
        """Bytes that arrived since it was opened."""
        return self._parser.received

    async def ask(
        self, command: bytes, within: float, *, gap: float | None = None, most: int | None = None
    ) -> Reply | Refused:
        """Send one packed command and return its answer. Raises Unanswered; the connection is then closed.

        `within` bounds the time until the first progress, `gap` the time without progress after that. An answer with
        more than `most` bytes is Oversized.
        """
        self._watch(within, within if gap is None else gap)
        self._parser.most = None if most is None else self._parser.received + most
        try:
            await self._socket.send_packed_command(command, check_health=False)
            return cast("Reply | Refused", await self._socket.read_response(disable_decoding=True))
        except (RedisError, OSError) as error:
            await self.drop()
            if isinstance(error, _OversizedError):
                raise Oversized(f"the answer of {self.address} has more than {most} bytes") from error
            raise Unanswered(self._describe(error)) from error
        except BaseException:
            await self.drop()
            raise
        finally:
            self._stop_watch()

    async def ask_all(self, commands: bytes, count: int, within: float) -> list[Reply | Refused]:
        """Send packed commands together and return all answers. `within` bounds the time without progress."""
        answers: list[Reply | Refused] = []
        self._watch(within, within)
        self._parser.most = None
        try:
            await self._socket.send_packed_command(commands, check_health=False)
            while len(answers) < count:
                answers.append(cast("Reply | Refused", await self._socket.read_response(disable_decoding=True)))
        except (RedisError, OSError) as error:
            await self.drop()
            raise Unanswered(f"{self._describe(error)}; {len(answers)} of {count} answers came", answers) from error
        except BaseException:
            await self.drop()
            raise
        finally:
            self._stop_watch()
        return answers

    async def drop(self) -> None:
        """Close at once, even with a command in flight."""
        self.client_id = None
        await self._socket.disconnect()

    def _watch(self, within: float, gap: float) -> None:
        self._seen = self._parser.received, -1
        self._overdue = self._loop.call_later(within, self._check_progress, within, gap)

    def _stop_watch(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _check_progress(self, waited: float, gap: float) -> None:
        """Wait on while bytes come in or go out, then read once more: this event loop may have been blocked."""
        seen, self._seen = self._seen, (self._parser.received, self._socket.unsent())
        if self._seen[0] != seen[0] or self._seen[1] < seen[1]:
            self._overdue = self._loop.call_later(gap, self._check_progress, gap, gap)
        elif seen[1] < 0 < self._seen[1]:  # the command is still being sent: only the next check can see progress
            self._overdue = self._loop.call_later(gap, self._check_progress, waited, gap)
        else:
            self._overdue = self._loop.call_later(LAST_READ, self._give_up, waited)

    def _give_up(self, waited: float) -> None:
        self._waited = waited
        self._socket.abort()

    def _describe(self, error: Exception) -> str:
        if self._waited:
            return f"{self.address} did not answer within {self._waited:g} s"
        return f"{self.address} closed the connection: {reason(error)}"
