"""Selects dead letters by id or by filters."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, milliseconds
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.entry import Entry, Lens
from penstock.operating.paging import Ask, Pages, asking, once
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters that must all match; empty ones always match."""

    error: str = ""
    """A part of the error's text, in any case."""
    reason: str = ""
    older_than: int | None = None
    """ms since the message died."""
    newer_than: int | None = None
    fields: Sequence[tuple[str, str]] = ()
    """Body fields with their values, as text or as JSON."""

    def __bool__(self) -> bool:
        """Whether there is any filter."""
        return self != Filters()

    def take(self, letter: DeadLetter, lens: Lens) -> bool:
        """Whether the filters match, except those of age."""
        if self.error.casefold() not in letter.error.casefold() or self.reason not in ("", letter.reason):
            return False
        if not self.fields:
            return True
        value = lens.look(letter.original).value
        return value is not None and all(_is(value, name, said) for name, said in self.fields)


def _is(value: object, name: str, said: str) -> bool:
    """Whether a field has this value; `a.b` also means `b` in object `a`."""
    if not isinstance(value, dict):
        return False
    if name in value:
        found = value[name]
        return said == found if isinstance(found, str) else said in _written(found)
    first, dot, rest = name.partition(".")
    return bool(dot) and _is(value.get(first), rest, said)


def _written(value: object) -> tuple[str, ...]:
    """The ways to write a value as JSON."""
    return (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value, ensure_ascii=False),
    )


@dataclass(slots=True)
class Seen:
    """What a walk has passed."""

    letters: int = 0
    others: int = 0
    """Dead letters of other pipelines, which are skipped."""
    missing: list[str] = field(default_factory=list)
    """Requested ids that do not exist."""


class Walk:
    """Iterates over the dead letters of one pipeline."""

    def __init__(
        self, link: Link, keys: PipelineKeys, lens: Lens, *, ask: Ask = once, goes_on: Callable[[], bool] = lambda: True
    ) -> None:
        """`goes_on` is asked before each page and each id."""
        self._link = link
        self._keys = keys
        self._lens = lens
        self._ask = ask
        self._goes_on = goes_on
        self._pages = Pages(link, keys.dead, ask=ask)
        self.seen = Seen()

    async def now(self) -> int:
        """Redis's time, in ms since 1970."""
        return milliseconds(await self._ask(asking(self._link, "TIME")))

    async def last(self) -> str:
        """The newest there is now, of whichever pipeline; nothing where there is none."""
        told = items(await self._ask(asking(self._link, "XREVRANGE", self._keys.dead, "+", "-", "COUNT", 1)))
        return Entry.of(told[0]).id if told else ""

    async def chosen(
        self, filters: Filters, now: int, *, until: str = "+", newest_first: bool = False
    ) -> AsyncIterator[DeadLetter]:
        """Those of this pipeline that the filters take, none of them newer than `until`: none at all where it is ''."""
        if not until:
            return
        start = "-" if filters.newer_than is None else str(max(now - filters.newer_than, 0))
        end = until if filters.older_than is None else str(max(now - filters.older_than, 0))
        async for page in self._pages.between(start, end, newest_first=newest_first):
            if not self._goes_on():
                return
            for entry in page:
                letter = self._read(entry)
                if letter and filters.take(letter, self._lens):
                    yield letter

    async def named(self, ids: Sequence[str]) -> AsyncIterator[DeadLetter]:
        """Those with these ids, in their order."""
        for id_ in ids:
            if not self._goes_on():
                return
            told = items(await self._ask(asking(self._link, "XRANGE", self._keys.dead, id_, id_)))
            letter = self._read(Entry.of(told[0])) if told else None
            if letter:
                yield letter
            elif not told:
                self.seen.missing.append(id_)

    def _read(self, entry: Entry) -> DeadLetter | None:
        self.seen.letters += 1
        letter = DeadLetter.of(entry)
        if letter.belongs_to(self._keys):
            return letter
        self.seen.others += 1
        return None
