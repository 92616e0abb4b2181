"""Reads a stream in pages that are bounded by entries and bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from penstock.maintenance.replies import items
from penstock.operating.entry import Entry
from penstock.wire.command import Argument
from penstock.wire.errors import Reply
from penstock.wire.link import Link

ENTRIES = 500
BYTES = 256 * 1024
"""Limits of a page. Large entries are read a few at a time."""
FIRST = 4

Query = Callable[[], Awaitable[Reply]]
Ask = Callable[[Query], Awaitable[Reply]]
"""Executes a query, and may repeat it."""


async def once(ask: Query) -> Reply:
    """Execute the query once, and raise errors."""
    return await ask()


def query(link: Link, *command: Argument) -> Query:
    """A query that sends a command."""
    return lambda: link.call(*command)


class Pages:
    """Pages of one stream."""

    def __init__(self, link: Link, key: str, *, ask: Ask = once) -> None:
        """Nothing is read yet."""
        self._link = link
        self._key = key
        self._ask = ask

    async def between(self, start: str, end: str, *, newest_first: bool = False) -> AsyncIterator[list[Entry]]:
        """Yield entries between two ids, both included. Entries added or deleted meanwhile may be missing."""
        size = FIRST
        while True:
            command = ("XREVRANGE", self._key, end, start) if newest_first else ("XRANGE", self._key, start, end)
            entries = items(await self._ask(query(self._link, *command, "COUNT", size)))
            page = [Entry.of(one) for one in entries]
            if page:
                yield page
            if len(page) < size:
                return
            if newest_first:
                end = f"({page[-1].id}"
            else:
                start = f"({page[-1].id}"
            mean = sum(len(part) + 16 for entry in page for part in entry.fields) // len(page) + 1
            size = max(1, min(4 * size, ENTRIES, BYTES // mean))
