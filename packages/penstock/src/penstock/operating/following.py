"""Follows the new entries of a stream, without a group."""

from __future__ import annotations

from collections.abc import AsyncIterator

from penstock.maintenance.replies import items
from penstock.operating.entry import Entry
from penstock.operating.paging import Ask, Pages
from penstock.wire.errors import Reply
from penstock.wire.link import Link

TOGETHER = 20
"""Entries per read."""
BLOCK = 5.0
"""Seconds that one read blocks."""


class Follower:
    """Remembers its position, so that a lost connection loses no entry that still exists."""

    def __init__(self, link: Link, key: str, ask: Ask) -> None:
        """Nothing is read yet."""
        self._link = link
        self._key = key
        self._ask = ask
        self._at = "0-0"

    async def begin(self, last: int) -> list[Entry]:
        """The last existing entries, oldest first. `follow` continues after them."""
        newest_first: list[Entry] = []
        async for page in Pages(self._link, self._key, ask=self._ask).between("-", "+", newest_first=True):
            newest_first += page
            if len(newest_first) >= last:
                break
        if newest_first:
            self._at = newest_first[0].id
        return newest_first[:last][::-1]

    async def follow(self) -> AsyncIterator[list[Entry]]:
        """Yield new entries forever."""
        while True:
            reply = await self._ask(self._read)
            for stream in items(reply) if reply is not None else ():
                page = [Entry.of(one) for one in items(items(stream)[1])]
                self._at = page[-1].id
                yield page

    async def _read(self) -> Reply:
        block = ("BLOCK", int(BLOCK * 1000), "STREAMS", self._key, self._at)
        return await self._link.call("XREAD", "COUNT", TOGETHER, *block, wait=BLOCK)
