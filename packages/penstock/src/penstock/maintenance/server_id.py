"""Tells one run of a Redis server from another."""

from __future__ import annotations

import secrets

from penstock.wire.errors import Refused
from penstock.wire.link import Link


class ServerId:
    """The run id of the server behind a link. It is read again after a reconnect, which may reach another server."""

    def __init__(self, link: Link) -> None:
        """Nothing is read yet."""
        self._link = link
        self._connections = -1
        self._id = b""

    async def run_id(self) -> bytes:
        """The run id. If the server does not permit INFO, each connection counts as another server."""
        while self._connections != self._link.connections:
            connections = self._link.connections
            id_ = await self._read()
            if connections == self._link.connections:  # else this call reconnected
                self._connections, self._id = connections, id_
        return self._id

    async def _read(self) -> bytes:
        try:
            reply = await self._link.call("INFO", "server")
        except Refused:
            return secrets.token_hex(8).encode()
        lines = reply.split() if isinstance(reply, bytes) else []
        return next((line for line in lines if line.startswith(b"run_id:")), b"").removeprefix(b"run_id:")
