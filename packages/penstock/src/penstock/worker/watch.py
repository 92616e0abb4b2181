"""Beside the blocked read, once a second: promote what is due, and look at what may be claimed.

Now and then it looks after lost workers too, so that a pipeline without a janitor goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from penstock.keys import PipelineKeys
from penstock.tending.group import Ensured, ensure
from penstock.tending.replies import without_group
from penstock.tending.sweep import Sweeper, Swept
from penstock.tending.tend import Tended, tend
from penstock.wire.errors import RedisTrouble, Refused
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

EVERY = 1.0
LEAST = 0.02
TENDING, SWEEPING, MENDING = "looking after what is due", "looking after lost workers", "making the group"


class Seen(Protocol):
    """Who wants to know."""

    async def tended(self, tended: Tended) -> None:
        """What was promoted, and what may be claimed."""

    def swept(self, swept: Swept) -> None:
        """What was taken over."""

    def ensured(self, how: Ensured) -> None:
        """The group is there."""

    def trouble(self, doing: str, error: RedisTrouble) -> None:
        """Redis did not answer as it should."""


class Watch:
    """Looks every second, and at once when something is due."""

    def __init__(  # noqa: PLR0913 - what it works with, each of a kind of its own
        self,
        link: Link,
        keys: PipelineKeys,
        spec: Pipeline,
        seen: Seen,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`clock` is monotonic, in seconds."""
        self._link = link
        self._keys = keys
        self._spec = spec
        self._seen = seen
        self._clock = clock
        self._sleep = sleep
        self._sweeper = Sweeper(link, keys, spec.work.lease.amount, own=clock)

    async def run(self) -> None:
        """Until cancelled."""
        every = self._spec.work.lease.seconds / 5  # with our sleep on top, less than the third that breaks contact
        sweep_at = self._clock()
        while True:
            wait, doing = EVERY, TENDING
            try:
                tended = await tend(self._link, self._keys)
                await self._seen.tended(tended)
                if tended.next_due is not None:
                    wait = max(LEAST, min(EVERY, tended.next_due / 1000))
                if self._clock() >= sweep_at:
                    sweep_at, doing = self._clock() + every, SWEEPING
                    self._seen.swept(await self._sweeper.sweep())
            except RedisTrouble as error:
                self._seen.trouble(doing, error)
                if isinstance(error, Refused) and without_group(error):
                    await self._mend()
            await self._sleep(wait)

    async def _mend(self) -> None:
        try:
            self._seen.ensured(await ensure(self._link, self._keys, self._spec))
        except RedisTrouble as error:
            self._seen.trouble(MENDING, error)
