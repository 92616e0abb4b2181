"""New entries of a stream as they come. Nothing is taken: no group hears of it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from penstock.maintenance.replies import items
from penstock.operating.entry import Entry
from penstock.operating.paging import Ask, Pages
from penstock.wire.errors import Reply
from penstock.wire.link import Link

TOGETHER = 20
"""Entries of one answer."""
BLOCK = 5.0
"""Seconds that one question waits."""


class Follower:
    """Remembers where it is, so that a connection that was lost loses nothing of what is still there."""

    def __init__(self, link: Link, key: str, ask: Ask) -> None:
        """Nothing is asked yet."""
        self._link = link
        self._key = key
        self._ask = ask
        self._at = "0-0"

    async def begin(self, last: int) -> list[Entry]:
        """The last of those that are there, the oldest first. What comes after them will be followed."""
        newest_first: list[Entry] = []
        async for page in Pages(self._link, self._key, ask=self._ask).between("-", "+", newest_first=True):
            newest_first += page
            if len(newest_first) >= last:
                break
        if newest_first:
            self._at = newest_first[0].id
        return newest_first[:last][::-1]

    async def follow(self) -> AsyncIterator[list[Entry]]:
        """For ever."""
        while True:
            told = await self._ask(self._read)
            for stream in items(told) if told is not None else ():
                page = [Entry.of(one) for one in items(items(stream)[1])]
                self._at = page[-1].id
                yield page

    async def _read(self) -> Reply:
        block = ("BLOCK", int(BLOCK * 1000), "STREAMS", self._key, self._at)
        return await self._link.call("XREAD", "COUNT", TOGETHER, *block, wait=BLOCK)
