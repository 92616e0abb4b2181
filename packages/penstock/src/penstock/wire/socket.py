"""redis-py's sockets, with two changes: they close at once, and a cancelled connect waits for its attempt.

redis-py waits for the server when it closes, even after a cancelled command: with TLS and a server that hangs, this
takes forever. And asyncio loses track of a TLS connection that is cancelled just before its handshake: it is opened
nevertheless, and never closed.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from redis.asyncio.connection import Connection, SSLConnection

if TYPE_CHECKING:
    _Base = Connection
else:
    _Base = object


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
