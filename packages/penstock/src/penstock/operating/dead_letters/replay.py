"""Replays dead letters into their stream, each in one atomic step."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.dead_letters.pace import Pace
from penstock.operating.paging import Ask, once, query
from penstock.scripts import script
from penstock.wire.command import Argument
from penstock.wire.errors import Reply, Unanswered
from penstock.wire.link import Link

MOST_VALUES = 7900
"""Names and values that one Lua call can pass to a command; 8,000 fail."""

GONE = "it no longer exists"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The outcome of one replay."""

    letter: DeadLetter
    entry: str | None
    """The new entry's id; None if it was not replayed, or if Redis's answer was lost."""
    trouble: str = ""
    """Why it was not replayed."""


def hindrance(letter: DeadLetter) -> str:
    """Why a dead letter cannot be replayed; empty if it can."""
    values = len(letter.replayed())
    if values > MOST_VALUES:
        return f"it has {values // 2} fields, and a script can pass on {MOST_VALUES // 2}"
    return "" if values else "it has no fields of its own"


class Replayer:
    """Replays dead letters."""

    def __init__(
        self, link: Link, keys: PipelineKeys, pace: Pace, *, ask: Ask = once, goes_on: Callable[[], bool] = lambda: True
    ) -> None:
        """`ask` repeats unanswered calls: a dead letter that is gone by then was replayed by the first call.

        `goes_on` is called before each dead letter.
        """
        self._link = link
        self._keys = keys
        self._pace = pace
        self._ask = ask
        self._goes_on = goes_on

    async def prepare(self) -> None:
        """Fail now if the user may add entries but not delete them: that would duplicate messages."""
        await self._ask(query(self._link, "XDEL", self._keys.dead, "0-0"))

    async def replay(self, letters: AsyncIterator[DeadLetter]) -> AsyncIterator[Replayed]:
        """Replay one after the other, and yield each outcome. Raises RedisTrouble."""
        async for letter in letters:
            trouble = hindrance(letter)
            if trouble:
                yield Replayed(letter, None, trouble)
                continue
            await self._pace.turn()
            if not self._goes_on():
                return
            yield await self._replay(letter)

    async def _replay(self, letter: DeadLetter) -> Replayed:
        doubtful = False
        args: list[Argument] = [letter.id, *letter.replayed()]

        async def attempt() -> Reply:
            nonlocal doubtful
            try:
                return await self._link.run(script("replay"), (self._keys.dead, self._keys.stream), args)
            except Unanswered:
                doubtful = True
                raise

        entry = await self._ask(attempt)
        if isinstance(entry, bytes):
            return Replayed(letter, entry.decode())
        return Replayed(letter, None, "" if doubtful else GONE)
