"""Dead letters are deleted for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from penstock.keys import Keys
from penstock.operating.letters.dead_letter import DeadLetter
from penstock.operating.paging import Ask, once
from penstock.tending.replies import number
from penstock.wire.errors import Reply, Unanswered
from penstock.wire.link import Link

TOGETHER = 100
"""Letters of one command."""


async def purge(
    link: Link, keys: Keys, letters: AsyncIterator[DeadLetter], *, ask: Ask = once
) -> AsyncIterator[tuple[Sequence[DeadLetter], int]]:
    """Some at a time, and how many of them were still there. Raises RedisTrouble; what was told has happened."""
    batch: list[DeadLetter] = []
    async for letter in letters:
        batch.append(letter)
        if len(batch) == TOGETHER:
            yield batch, await _delete(link, keys, batch, ask)
            batch = []
    if batch:
        yield batch, await _delete(link, keys, batch, ask)


async def _delete(link: Link, keys: Keys, batch: Sequence[DeadLetter], ask: Ask) -> int:
    doubtful = False

    async def attempt() -> Reply:
        nonlocal doubtful
        try:
            return await link.call("XDEL", keys.dead, *(one.id for one in batch))
        except Unanswered:
            doubtful = True
            raise

    deleted = number(await ask(attempt))
    return len(batch) if doubtful else deleted
