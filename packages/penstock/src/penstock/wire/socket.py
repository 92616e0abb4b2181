"""One socket, plain or TLS: writes commands, and parses answers as they arrive.

It is its transport's protocol, so an answer reaches its caller directly. asyncio's streams, and redis-py on top of
them, take several more steps for each command.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import socket
import ssl
import sys
import termios
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import hiredis

from penstock.wire.errors import Refused, Reply

CLOSED_BY_SERVER = "Connection closed by server."
TIMED_OUT = "Timeout connecting to server"
KEEP_ALIVE = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))
"""Seconds without traffic before the first probe, between probes, and the number of probes. Not every system has all
of them."""

_SMALL = 1 << 16
"""Bytes that count as sent: only a larger command can take longer than a time limit."""
_INCOMPLETE: Final = object()

Ended: TypeAlias = "Callable[[Exception | None], None]"
"""Called once at the end of a request: with None if all answers are there, otherwise with an OSError, an OversizedError
or hiredis's ProtocolError."""


class OversizedError(Exception):
    """An answer is larger than its reader allows."""


class Socket(asyncio.Protocol):
    """A socket with at most one request in flight, which may have several answers."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Connect with `connect`."""
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        # An error is a value, and keeps its code.
        self._reader = hiredis.Reader(replyError=Refused, notEnoughData=_INCOMPLETE)
        self._ended: Ended | None = None
        self._count = 0
        self._closed = False
        self._dirty = False
        self.answers: list[Reply | Refused] = []
        """Answers to the last request, in order."""
        self.received = 0
        """Bytes since the connection was opened."""
        self.most: int | None = None
        """The value of `received` above which an answer is too large."""

    async def connect(self, host: str, port: int, context: ssl.SSLContext | None, within: float) -> None:
        """Connect, once. If cancelled, wait until the attempt has succeeded or failed, within its time limit.

        asyncio loses track of a TLS connection that is cancelled just before its handshake: it is opened nevertheless,
        and never closed.
        """
        connecting = asyncio.ensure_future(self._connect(host, port, context, within))
        try:
            await asyncio.shield(connecting)
        except asyncio.CancelledError:
            try:
                await asyncio.wait({connecting})
            finally:
                if not connecting.cancel() and not connecting.cancelled():
                    connecting.exception()
            raise

    async def _connect(self, host: str, port: int, context: ssl.SSLContext | None, within: float) -> None:
        try:
            async with asyncio.timeout(within):
                await self._loop.create_connection(lambda: self, host, port, ssl=context)
        except TimeoutError:
            raise TimeoutError(TIMED_OUT) from None

    @property
    def is_open(self) -> bool:
        """Whether neither side has closed it, as far as the event loop knows."""
        return not self._closed and self._transport is not None and not self._transport.is_closing()

    @property
    def is_clean(self) -> bool:
        """Whether it is open, and nothing has arrived that no request asked for."""
        return self.is_open and not self._dirty

    def send(self, commands: bytes, count: int, ended: Ended) -> None:
        """Send packed commands; `count` answers follow."""
        self.answers, self._count, self._ended = [], count, ended
        if self._dirty:  # a server at its client limit says so before it is asked, and disconnects
            self._parse()
        if self._transport is None or not self.is_open:
            self._fail(ConnectionError(CLOSED_BY_SERVER))
        else:
            self._transport.write(commands)

    def close(self, error: Exception | None = None) -> None:
        """Close at once, even with a request in flight, which then fails.

        A transport's `close` waits for the server: with TLS and a server that hangs, this takes forever.
        """
        self._closed = True
        if self._transport is not None:
            self._transport.abort()
        self._fail(error or ConnectionError(CLOSED_BY_SERVER))

    def unsent(self) -> int:
        """Bytes of a large command that were not sent yet, or that the server has not received; 0 for a small one."""
        if self._transport is None:
            return 0
        unsent = self._transport.get_write_buffer_size()
        sock = self._transport.get_extra_info("socket")
        if sock is not None and sys.platform == "linux":
            with contextlib.suppress(OSError, ValueError):
                queued = fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4))
                unsent += int.from_bytes(queued, sys.byteorder)
        return unsent if unsent > _SMALL else 0

    # called by the transport

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - asyncio's transports have no common type
        """Keep the transport; close it if it is not wanted any more."""
        self._transport = transport
        if self._closed:
            transport.abort()
            return
        sock = transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in KEEP_ALIVE:
                if hasattr(socket, option):
                    sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def data_received(self, data: bytes) -> None:
        """Parse answers, and end the request with its last one."""
        self.received += len(data)
        self._reader.feed(data)
        if self._ended is None:
            self._dirty = True
        elif self.most is not None and self.received > self.most:
            self.close(OversizedError())
        else:
            self._parse()

    def _parse(self) -> None:
        """Take answers from the reader, and end the request with its last one."""
        reader, answers = self._reader, self.answers
        try:
            while (answer := reader.gets()) is not _INCOMPLETE:
                answers.append(answer)
                if len(answers) == self._count:
                    break
            else:
                return
        except hiredis.ProtocolError as error:
            self.close(error)
            return
        ended, self._ended = self._ended, None
        self._dirty = reader.has_data()
        if ended is not None:
            ended(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the request in flight."""
        self._closed = True
        self._fail(exc or ConnectionError(CLOSED_BY_SERVER))

    def _fail(self, error: Exception) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(error)
