"""How long we have been in touch with one server, without a break in which leases may have run out unseen.

While Redis stands still nobody can renew a lease, and at its first command all of them may be over. So a sweeper
judges by its own clock: it must have had answers, close together, from one server, for as long as a lease.
"""

from __future__ import annotations

from penstock.clocks import Clocks
from penstock.wire.errors import Refused
from penstock.wire.link import Link


class Contact:
    """Answers of one server, and the gaps between them."""

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
        """Redis's time in its last answer, in ms."""

    def answered(self, redis_time: int) -> None:
        """Note an answer and the time that Redis told in it."""
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
        """A call failed: what happened meanwhile nobody knows."""
        self._since = None

    def lasts(self, ms: int) -> bool:
        """Whether the last answer and the first without a break between them lie that far apart."""
        return self._since is not None and (self._last - self._since) * 1000 >= ms

    async def recognise(self) -> None:
        """See whether a new connection leads to the server that we knew."""
        while self._connections != self._link.connections:
            connections = self._link.connections
            server = await self._ask()
            if connections != self._link.connections:
                continue  # the link was connected by this very question, or anew meanwhile: who answered is open
            self._connections = connections
            if server != self._server:
                self._server = server
                self.broken()

    async def _ask(self) -> object:
        try:
            told = await self._link.call("INFO", "server")
        except Refused:
            return object()  # not allowed to ask: every connection is to a server that we do not know
        lines = told.split() if isinstance(told, bytes) else []
        return next((line for line in lines if line.startswith(b"run_id:")), object())
