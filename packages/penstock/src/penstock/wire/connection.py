"""One connection to one server, dropped at its first error.

redis-py connects and reads; each command is sent once. After a cancelled or unanswered command the connection is
dropped, because its late answer would be taken for the answer of the next command.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple, cast

from redis._parsers import _AsyncHiredisParser
from redis.exceptions import RedisError

from penstock.wire.errors import Refused, Reply, Unanswered, reason
from penstock.wire.socket import Socket, TlsSocket

LAST_LOOK = 0.02
"""Seconds for the event loop to read what has arrived."""


class Address(NamedTuple):
    """Where a server listens."""

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
    """redis-py's parser, except that an error is a value and keeps its code.

    redis-py removes the code of errors that it knows, and drops the connection for some of them.
    """

    @classmethod
    def parse_error(cls, response: str) -> Refused:
        """Keep the whole answer."""
        return Refused(response)


class Connection:
    """One connection to one server; `Connector.open` creates it."""

    __slots__ = ("_loop", "_overdue", "_socket", "_waited", "address", "client_id")

    def __init__(self, socket: Socket | TlsSocket, address: Address) -> None:
        """Own a socket."""
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._overdue: asyncio.TimerHandle | None = None
        self._waited = 0.0
        self.address = address
        self.client_id: int | None = None

    @property
    def stands(self) -> bool:
        """Whether it was not dropped. What came in, or that the other side has hung up, is not looked at."""
        return bool(self._socket.is_connected)

    async def is_usable(self) -> bool:
        """Whether it stands, and nothing came in that was not asked for. Sends nothing."""
        return self._socket.is_connected and not await self._socket.can_read()

    async def ask(self, command: bytes, within: float) -> Reply | Refused:
        """One command, packed, and its answer. Raises Unanswered, and is of no use after."""
        self._overdue = self._loop.call_later(within, self._look_once_more, within)
        try:
            await self._socket.send_packed_command(command, check_health=False)
            return cast("Reply | Refused", await self._socket.read_response(disable_decoding=True))
        except (RedisError, OSError) as error:
            await self.drop()
            raise Unanswered(self._told(error)) from error
        except BaseException:
            await self.drop()
            raise
        finally:
            self._overdue.cancel()

    async def ask_all(self, commands: bytes, count: int, within: float) -> list[Reply | Refused]:
        """Commands that are sent together; all of them must be answered within that time."""
        answers: list[Reply | Refused] = []
        self._overdue = self._loop.call_later(within, self._look_once_more, within)
        try:
            await self._socket.send_packed_command(commands, check_health=False)
            while len(answers) < count:
                answers.append(cast("Reply | Refused", await self._socket.read_response(disable_decoding=True)))
        except (RedisError, OSError) as error:
            await self.drop()
            raise Unanswered(f"{self._told(error)}; {len(answers)} of {count} answers came", answers) from error
        except BaseException:
            await self.drop()
            raise
        finally:
            self._overdue.cancel()
        return answers

    async def drop(self) -> None:
        """Close at once, even with a command in flight."""
        self.client_id = None
        await self._socket.disconnect()

    def _look_once_more(self, waited: float) -> None:
        """The time limit is over. If this event loop was blocked, the answer may be unread: read it first."""
        self._overdue = self._loop.call_later(LAST_LOOK, self._give_up, waited)

    def _give_up(self, waited: float) -> None:
        self._waited = waited
        self._socket.abort()

    def _told(self, error: Exception) -> str:
        if self._waited:
            return f"{self.address} did not answer within {self._waited:g} s"
        return f"{self.address} closed the connection: {reason(error)}"
