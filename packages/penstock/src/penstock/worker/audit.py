"""What this worker owns in Redis, held against what it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from penstock.keys import SUSPECT, PipelineKeys
from penstock.wire.link import Link
from penstock.worker.delivery import Delivery, GivenBack
from penstock.worker.settler import Settler

PAGE = 500


async def owned(link: Link, keys: PipelineKeys, consumer: str) -> list[tuple[bytes, int]]:
    """Ids and delivery counts of all that is pending under this name."""
    found: list[tuple[bytes, int]] = []
    start = b"-"
    while True:
        page = cast(
            "list[tuple[bytes, bytes, int, int]]",
            await link.call("XPENDING", keys.stream, keys.group, start, "+", PAGE, consumer),
        )
        found += [(id_, count) for id_, _, _, count in page]
        if len(page) < PAGE:
            return found
        start = b"(" + page[-1][0]


class Audit:
    """Gives back what is owned and not run: an answer got lost, or came to a connection that was cut."""

    def __init__(
        self,
        link: Link,
        keys: PipelineKeys,
        settler: Settler,
        runs: Callable[[bytes, int, str], bool],
        at_work: asyncio.Lock,
    ) -> None:
        """`at_work` is held while the answer of a read or a claim may be on its way."""
        self._link = link
        self._keys = keys
        self._settler = settler
        self._runs = runs
        self._at_work = at_work

    async def __call__(self, consumer: str) -> int:
        """How many were given back.

        What a read brings while we ask is not run yet, so its answer is awaited before we compare. What was done
        meanwhile is not owned any more, so we ask once more for what does not run.
        """
        found = await owned(self._link, self._keys, consumer)
        if not found:
            return 0
        async with self._at_work:
            strays = self._strays(found, consumer)
            if strays:
                still = set(await owned(self._link, self._keys, consumer))
                strays = self._strays([one for one in strays if one in still], consumer)
            return self._give_back(strays, consumer)

    async def alone(self, consumer: str) -> int:
        """The same, where no answer can be on its way."""
        return self._give_back(self._strays(await owned(self._link, self._keys, consumer), consumer), consumer)

    def _strays(self, found: list[tuple[bytes, int]], consumer: str) -> list[tuple[bytes, int]]:
        """Those that are neither run nor on their way."""
        on_the_way = self._settler.on_the_way()
        return [
            (id_, count)
            for id_, count in found
            if not self._runs(id_, count, consumer) and (consumer, id_, count) not in on_the_way
        ]

    def _give_back(self, strays: list[tuple[bytes, int]], consumer: str) -> int:
        """What had been delivered before may have been a suspect: nobody knows, so it goes on as one."""
        for id_, count in strays:
            stray = Delivery(id_, (), consumer, count, source=SUSPECT if count > 1 else "")
            self._settler.add(GivenBack(stray, "found"))
        return len(strays)
