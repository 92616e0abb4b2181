"""redis-py's sockets, with two changes: they close at once, and a cancelled connect waits for its attempt.

redis-py waits for the server when it closes, even after a cancelled command: with TLS and a server that hangs, this
takes forever. And asyncio loses track of a TLS connection that is cancelled just before its handshake: it is opened
nevertheless, and never closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import sys
import termios
from typing import TYPE_CHECKING, Any

from redis.asyncio.connection import Connection, SSLConnection

if TYPE_CHECKING:
    _Base = Connection
else:
    _Base = object


_SMALL = 1 << 16
"""Bytes that count as sent: only a larger command can take longer than a time limit."""


class _AtOnce(_Base):
    async def disconnect(self, nowait: bool = True, *about: Any, **more: Any) -> None:  # noqa: ANN401, FBT001, FBT002 - redis-py's
        """Close, even with a command in flight."""
        del nowait
        self.abort()
        await super().disconnect(True, *about, **more)  # noqa: FBT003 - as above

    def abort(self) -> None:
        """Close it at once, if it is open."""
        if self._writer:
            self._writer.transport.abort()

    def unsent(self) -> int:
        """Bytes of a large command that were not sent yet, or that the server has not received; 0 for a small one."""
        if not self._writer:
            return 0
        transport = self._writer.transport
        unsent = transport.get_write_buffer_size()
        sock = transport.get_extra_info("socket")
        if sock is not None and sys.platform == "linux":
            with contextlib.suppress(OSError, ValueError):
                queued = fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4))
                unsent += int.from_bytes(queued, sys.byteorder)
        return unsent if unsent > _SMALL else 0

    async def connect_or_not(self) -> None:
        """Connect. If cancelled, wait until the attempt has succeeded or failed, within its time limit."""
        connecting = asyncio.ensure_future(self.connect())  # type: ignore[no-untyped-call] # redis-py has no type for it
        try:
            await asyncio.shield(connecting)
        except asyncio.CancelledError:
            try:
                await asyncio.wait({connecting})
            finally:
                if not connecting.cancel() and not connecting.cancelled():
                    connecting.exception()
            raise


class Socket(_AtOnce, Connection):
    """A plain socket."""


class TlsSocket(_AtOnce, SSLConnection):
    """A TLS socket."""
