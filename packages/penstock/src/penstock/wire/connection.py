"""One connection to one server, dropped at its first error.

redis-py connects and reads; each command is sent once. After a cancelled or unanswered command, the connection is
dropped, because a late answer would be read as the answer to the next command.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple, cast

from redis._parsers import _AsyncHiredisParser
from redis.exceptions import RedisError

from penstock.wire.errors import Refused, Reply, Unanswered, reason
from penstock.wire.socket import Socket, TlsSocket

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
    """redis-py's parser, but an error is a value and keeps its code.

    redis-py removes the code of errors that it knows, and drops the connection for some of them.
    """

    @classmethod
    def parse_error(cls, response: str) -> Refused:
        """Keep the complete answer."""
        return Refused(response)


class Connection:
    """One connection to one server; `Connector.open` creates it."""

    __slots__ = ("_loop", "_overdue", "_socket", "_waited", "address", "client_id")

    def __init__(self, socket: Socket | TlsSocket, address: Address) -> None:
        """Take over a socket."""
        self._loop = asyncio.get_running_loop()
        self._socket = socket
        self._overdue: asyncio.TimerHandle | None = None
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

    async def ask(self, command: bytes, within: float) -> Reply | Refused:
        """Send one packed command and return its answer. Raises Unanswered; the connection is then closed."""
        self._overdue = self._loop.call_later(within, self._read_once_more, within)
        try:
            await self._socket.send_packed_command(command, check_health=False)
            return cast("Reply | Refused", await self._socket.read_response(disable_decoding=True))
        except (RedisError, OSError) as error:
            await self.drop()
            raise Unanswered(self._describe(error)) from error
        except BaseException:
            await self.drop()
            raise
        finally:
            self._overdue.cancel()

    async def ask_all(self, commands: bytes, count: int, within: float) -> list[Reply | Refused]:
        """Send packed commands together and return all answers, which must arrive within this time."""
        answers: list[Reply | Refused] = []
        self._overdue = self._loop.call_later(within, self._read_once_more, within)
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
            self._overdue.cancel()
        return answers

    async def drop(self) -> None:
        """Close at once, even with a command in flight."""
        self.client_id = None
        await self._socket.disconnect()

    def _read_once_more(self, waited: float) -> None:
        """Handle the end of the time limit: read first, because this event loop may have been blocked."""
        self._overdue = self._loop.call_later(LAST_READ, self._give_up, waited)

    def _give_up(self, waited: float) -> None:
        self._waited = waited
        self._socket.abort()

    def _describe(self, error: Exception) -> str:
        if self._waited:
            return f"{self.address} did not answer within {self._waited:g} s"
        return f"{self.address} closed the connection: {reason(error)}"
