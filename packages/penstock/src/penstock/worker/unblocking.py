"""Ends a blocked read over another link, if both links are connected to the same server.

Servers number their clients. After a failover, or in a cluster, the two links may lead to different servers, and there
the reader's number is another program's client, whose read would end.
"""

from __future__ import annotations

from penstock.maintenance.contact import run_id
from penstock.wire.errors import Refused
from penstock.wire.link import Link


class KnownServer:
    """Which server a link is connected to."""

    def __init__(self, link: Link) -> None:
        """Nothing is asked yet."""
        self._link = link
        self._known: tuple[int, bytes | None] | None = None

    async def learn(self) -> None:
        """Ask once per connection."""
        link = self._link
        while self._known is None or self._known[0] != link.connections or not link.is_connected:
            connections = link.connections
            try:
                answer = run_id(await link.call("INFO", "server"))
            except Refused:
                answer = None  # not permitted: the server stays unknown
            if connections == link.connections:  # otherwise the call reconnected: another server may have answered
                self._known = connections, answer

    @property
    def run_id(self) -> bytes | None:
        """The run id of the server of the current connection, or None if it is unknown."""
        return self._known[1] if self._known is not None and self._known[0] == self._link.connections else None


class Unblocking:
    """Unblocks the reads of a link."""

    def __init__(self, reader: Link, other: Link) -> None:
        """Send the command over the `other` link."""
        self._reader = reader
        self._other = other
        self.reader_server = KnownServer(reader)
        """Learn it before a read: a blocked link cannot be asked."""
        self._other_server = KnownServer(other)

    async def unblock(self) -> bool:
        """End the blocked read; return whether its server was asked to. Otherwise the read ends by itself."""
        await self._other_server.learn()
        number, server, client = self._other.connections, self._other_server.run_id, self._reader.client_id
        if client is None or server is None or self.reader_server.run_id != server:
            return False
        return await self._other.call_connected(("CLIENT", "UNBLOCK", client), number) is not None
