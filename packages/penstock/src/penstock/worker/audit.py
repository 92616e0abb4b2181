"""Compares the messages that this worker owns in Redis with those that it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from penstock.keys import SUSPECT, PipelineKeys
from penstock.scripts import script
from penstock.wire.link import Link
from penstock.worker.delivery import Delivery, GivenBack
from penstock.worker.settler import Settler

PAGE = 500


async def owned(link: Link, keys: PipelineKeys, consumer: str) -> list[tuple[bytes, int]]:
    """List the ids and delivery counts of all pending entries of a consumer."""
    entries: list[tuple[bytes, int]] = []
    start = b"-"
    while True:
        page = cast(
            "list[tuple[bytes, bytes, int, int]]",
            await link.call("XPENDING", keys.stream, keys.group, start, "+", PAGE, consumer),
        )
        entries += [(id_, count) for id_, _, _, count in page]
        if len(page) < PAGE:
            return entries
        start = b"(" + page[-1][0]


class Audit:
    """Gives back messages that this worker owns but does not run, because a reply of Redis was lost.

    Where finished entries stay, it also gets back messages that this worker runs but does not own any more, because a
    foreign client deleted its consumer.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        link: Link,
        keys: PipelineKeys,
        settler: Settler,
        is_running: Callable[[bytes, int, str], bool],
        in_flight: asyncio.Lock,
        first_attempts: Callable[[str], list[bytes]] = lambda _: [],
    ) -> None:
        """`in_flight` is locked while the reply to a read or a claim is pending.

        `first_attempts` lists what a consumer runs and no record brings back.
        """
        self._link = link
        self._keys = keys
        self._settler = settler
        self._is_running = is_running
        self._in_flight = in_flight
        self._first_attempts = first_attempts

    async def __call__(self, consumer: str) -> int:
        """Compare once, and return how many messages were given back.

        A read in progress may deliver messages that do not run yet, so this waits for its reply. Messages that were
        settled meanwhile are no longer owned, so this lists the owned ones a second time.
        """
        running = self._first_attempts(consumer)  # before the list: what is delivered later may not be in it
        entries = await owned(self._link, self._keys, consumer)
        if running:
            await self._adopt(consumer, {*running}.difference(id_ for id_, _ in entries))
        if not entries:
            return 0
        async with self._in_flight:
            strays = self._strays(entries, consumer)
            if strays:
                still_owned = set(await owned(self._link, self._keys, consumer))
                strays = self._strays([one for one in strays if one in still_owned], consumer)
            return self._give_back(strays, consumer)

    async def without_reads(self, consumer: str) -> int:
        """Do the same when no read or claim is in progress."""
        return self._give_back(self._strays(await owned(self._link, self._keys, consumer), consumer), consumer)

    async def _adopt(self, consumer: str, missing: set[bytes]) -> None:
        """Own these messages again. Those that have ended meanwhile are settled, and the others are settled later."""
        still_missing = [one for one in self._first_attempts(consumer) if one in missing]
        for first in range(0, len(still_missing), PAGE):
            keys = (self._keys.stream, self._keys.alive, self._keys.uncharged)
            some = still_missing[first : first + PAGE]
            await self._link.run(script("adopt"), keys, (self._keys.group, consumer, *some))

    def _strays(self, entries: list[tuple[bytes, int]], consumer: str) -> list[tuple[bytes, int]]:
        """The messages that neither run nor wait to be settled."""
        unsettled = self._settler.unsettled_deliveries()
        return [
            (id_, count)
            for id_, count in entries
            if not self._is_running(id_, count, consumer) and (consumer, id_, count) not in unsettled
        ]

    def _give_back(self, strays: list[tuple[bytes, int]], consumer: str) -> int:
        """Give them back. Those that were delivered before may have been suspect, so they stay suspect."""
        for id_, count in strays:
            stray = Delivery(id_, (), consumer, count, source=SUSPECT if count > 1 else "")
            self._settler.add(GivenBack(stray, "found"))
        return len(strays)
