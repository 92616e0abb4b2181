"""Deletes dead letters for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import numbers
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.paging import Ask, once
from penstock.wire.errors import Refused, Reply, Unanswered
from penstock.wire.link import Link

TOGETHER = 100
"""Dead letters per deletion."""


@dataclass(frozen=True, slots=True)
class Purged:
    """The outcome of one deletion."""

    deleted: Sequence[DeadLetter]
    gone: Sequence[DeadLetter]
    """Those that no longer existed."""


async def purge(
    link: Link,
    keys: PipelineKeys,
    letters: AsyncIterator[DeadLetter],
    *,
    ask: Ask = once,
    goes_on: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Purged]:
    """Delete in batches, and yield each outcome. Raises RedisTrouble. `goes_on` is called before each batch."""
    async for batch in _batches(letters):
        if not goes_on():
            return
        yield await _delete(link, keys, batch, ask)


async def _batches(letters: AsyncIterator[DeadLetter]) -> AsyncIterator[Sequence[DeadLetter]]:
    batch: list[DeadLetter] = []
    async for letter in letters:
        batch.append(letter)
        if len(batch) == TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


async def _delete(link: Link, keys: PipelineKeys, batch: Sequence[DeadLetter], ask: Ask) -> Purged:
    """Delete one batch. After a lost answer, missing ones count as deleted by the first attempt."""
    doubtful = False

    async def attempt() -> Reply:
        nonlocal doubtful
        try:
            answers = await link.calls([("XDEL", keys.dead, letter.id) for letter in batch])
        except Unanswered:
            doubtful = True
            raise
        return [_raise_refusal(answer) for answer in answers]

    counts = numbers(await ask(attempt))
    gone = [] if doubtful else [letter for letter, count in zip(batch, counts, strict=True) if not count]
    return Purged([letter for letter in batch if letter not in gone], gone)


def _raise_refusal(answer: Reply | Refused) -> Reply:
    if isinstance(answer, Refused):
        raise answer
    return answer
