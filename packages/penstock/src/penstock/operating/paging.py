"""A stream from one end to the other, in pages that are bounded by entries and by bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from penstock.maintenance.replies import items
from penstock.operating.entry import Entry
from penstock.wire.command import Argument
from penstock.wire.errors import Reply
from penstock.wire.link import Link

ENTRIES = 500
BYTES = 256 * 1024
"""Of a page; whichever is reached first. Large entries are asked for a few at a time."""
FIRST = 4

Question = Callable[[], Awaitable[Reply]]
Ask = Callable[[Question], Awaitable[Reply]]
"""Brings a question that may be asked twice to its answer."""


async def once(question: Question) -> Reply:
    """Asked once; trouble is the caller's."""
    return await question()


def asking(link: Link, *command: Argument) -> Question:
    """A command that is sent when it is called."""
    return lambda: link.call(*command)


class Pages:
    """Of one stream."""

    def __init__(self, link: Link, key: str, *, ask: Ask = once) -> None:
        """Nothing is asked yet."""
        self._link = link
        self._key = key
        self._ask = ask

    async def between(self, start: str, end: str, *, newest_first: bool = False) -> AsyncIterator[list[Entry]]:
        """What lies between two ids, both included; of what comes or goes meanwhile, some is told."""
        size = FIRST
        while True:
            words = ("XREVRANGE", self._key, end, start) if newest_first else ("XRANGE", self._key, start, end)
            told = items(await self._ask(asking(self._link, *words, "COUNT", size)))
            page = [Entry.of(one) for one in told]
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
