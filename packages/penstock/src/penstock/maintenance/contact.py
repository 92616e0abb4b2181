"""Measures how long one Redis server has answered without a break.

While Redis hangs, no process can renew its lease, and afterwards all leases may have expired. So a process takes over
messages only after one server has answered at short intervals for as long as a lease, by the process's monotonic clock.
"""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link


class Contact:
    """Tracks uninterrupted contact with one server."""

    def __init__(self, link: Link, gap: int, clocks: Clocks) -> None:
        """A gap longer than `gap` ms, by the monotonic clock or by Redis time, is a break."""
        self._link = link
        self._gap = gap
        self._monotonic = clocks.monotonic
        self._connections = -1
        self._server: object = None
        self._since: float | None = None
        self._last = 0.0
        self.asof = 0
        """Redis time of the last answer, in ms."""

    def answered(self, redis_time: int) -> None:
        """Record an answer, with its Redis time."""
        now = self._monotonic()
        unbroken = (
            self._since is not None
            and self._connections == self._link.connections
            and max((now - self._last) * 1000, redis_time - self.asof) <= self._gap
        )
        if not unbroken:
            self._since = now
        self._last, self.asof = now, redis_time

    def broken(self) -> None:
        """Record a failed call, which breaks the contact."""
        self._since = None

    def lasts(self, ms: int) -> bool:
        """Whether contact has lasted for this time, up to the last answer."""
        return self._since is not None and (self._last - self._since) * 1000 >= ms

    async def check_server(self) -> None:
        """After a reconnect, check whether the server is the same; if not, contact is broken."""
        while self._connections != self._link.connections:
            connections = self._link.connections
            server = await self._run_id()
            if connections != self._link.connections:
                continue  # this call reconnected, so another server may have answered
            self._connections = connections
            if server != self._server:
                self._server = server
                self.broken()

    async def _run_id(self) -> object:
        try:
            reply = await self._link.call("INFO", "server")
        except Refused:
            return object()  # not permitted: each connection counts as another server
        return run_id(reply) or object()


def run_id(info: Reply) -> bytes | None:
    """The run id in the answer to `INFO server`; every start of a server has another one."""
    lines = info.split() if isinstance(info, bytes) else []
    return next((line.removeprefix(b"run_id:") for line in lines if line.startswith(b"run_id:")), None)
