"""Tells whether there is room for another dead letter."""

from __future__ import annotations

from penstock.clocks import CLOCKS, Clocks
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.work import DeadLetterLimit

SAMPLES = 100
"""Nodes of the stream from which Redis estimates its memory: the oldest ones."""
VALID = 1.0
"""Seconds that an answer holds: meanwhile, each worker may exceed the limit by what it buries."""
RETRY_AFTER = 60_000
"""Milliseconds after which a message that could not be buried is tried again."""


class DeadLetterRoom:
    """Compares the dead letters of a pipeline with `dead_letter.limit`."""

    def __init__(self, link: Link, key: str, limit: DeadLetterLimit, clocks: Clocks = CLOCKS) -> None:
        """Nothing is read yet. Without a limit, Redis is never asked."""
        self._link = link
        self._key = key
        self._length = limit.length
        self._bytes = None if limit.bytes is None else limit.bytes.amount
        self._monotonic = clocks.monotonic
        self._until = -VALID
        self._full = False

    async def is_full(self) -> bool:
        """Whether a limit is reached. Raises RedisTrouble."""
        if self._length is None and self._bytes is None:
            return False
        if self._monotonic() >= self._until:
            self._full = await self._reached()
            self._until = self._monotonic() + VALID
        return self._full

    async def _reached(self) -> bool:
        if self._length is not None:
            length = await self._link.call("XLEN", self._key)
            if isinstance(length, int) and length >= self._length:
                return True
        if self._bytes is None:
            return False
        used = await self._link.call("MEMORY", "USAGE", self._key, "SAMPLES", SAMPLES)
        return isinstance(used, int) and used >= self._bytes  # None if there is no dead letter
