"""Selects dead letters by id or by filters."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, milliseconds
from penstock.message.penstock_fields import ID
from penstock.operating.dead_letters.dead_letter import DeadLetter
from penstock.operating.entry import Entry, EntryReader
from penstock.operating.paging import Ask, Pages, once, query
from penstock.wire.link import Link
from penstock.worker.dead_letter import penstock_field

MOST_SEARCHED = 10_000
"""Dead letters that are read to find one by the id of its message."""


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

    def match(self, letter: DeadLetter, reader: EntryReader) -> bool:
        """Whether all filters match, except those of age."""
        if self.error.casefold() not in letter.error.casefold() or self.reason not in ("", letter.reason):
            return False
        if not self.fields:
            return True
        value = reader.read(letter.original).value
        return value is not None and all(_is(value, name, expected) for name, expected in self.fields)


def _is(value: object, name: str, expected: str) -> bool:
    """Whether a field has this value; `a.b` also means `b` in object `a`."""
    if not isinstance(value, dict):
        return False
    if name in value:
        actual = value[name]
        return expected == actual if isinstance(actual, str) else expected in _written(actual)
    first, dot, rest = name.partition(".")
    return bool(dot) and _is(value.get(first), rest, expected)


def _written(value: object) -> tuple[str, ...]:
    """The ways to write a value as JSON."""
    return (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, separators=(",", ":")),
        json.dumps(value, ensure_ascii=False),
    )


@dataclass(slots=True)
class ScanCounts:
    """How many entries a scan has read."""

    letters: int = 0
    others: int = 0
    """Dead letters of other pipelines, which are skipped."""
    missing: list[str] = field(default_factory=list)
    """Requested ids that do not exist."""


class DeadLetterScan:
    """Iterates over the dead letters of one pipeline."""

    def __init__(
        self,
        link: Link,
        keys: PipelineKeys,
        reader: EntryReader,
        *,
        ask: Ask = once,
        goes_on: Callable[[], bool] = lambda: True,
    ) -> None:
        """`goes_on` is called before each page and each id; if it returns False, the scan ends."""
        self._link = link
        self._keys = keys
        self._reader = reader
        self._ask = ask
        self._goes_on = goes_on
        self._pages = Pages(link, keys.dead, ask=ask)
        self.counts = ScanCounts()

    async def now(self) -> int:
        """Redis's time, in ms since 1970."""
        return milliseconds(await self._ask(query(self._link, "TIME")))

    async def last(self) -> str:
        """The id of the newest dead letter in the stream, of any pipeline; empty if there is none."""
        entries = items(await self._ask(query(self._link, "XREVRANGE", self._keys.dead, "+", "-", "COUNT", 1)))
        return Entry.of(entries[0]).id if entries else ""

    async def matching(
        self, filters: Filters, now: int, *, until: str = "+", newest_first: bool = False
    ) -> AsyncIterator[DeadLetter]:
        """This pipeline's dead letters that match the filters and are not newer than `until`; none if that is empty."""
        if not until:
            return
        start = "-" if filters.newer_than is None else str(max(now - filters.newer_than, 0))
        end = until if filters.older_than is None else str(max(now - filters.older_than, 0))
        async for page in self._pages.between(start, end, newest_first=newest_first):
            if not self._goes_on():
                return
            for entry in page:
                letter = self._read(entry)
                if letter and filters.match(letter, self._reader):
                    yield letter

    async def named(self, ids: Sequence[str]) -> AsyncIterator[DeadLetter]:
        """Dead letters with these ids, in their order."""
        for id_ in ids:
            if not self._goes_on():
                return
            entries = items(await self._ask(query(self._link, "XRANGE", self._keys.dead, id_, id_)))
            letter = self._read(Entry.of(entries[0])) if entries else None
            if letter:
                yield letter
            elif not entries:
                self.counts.missing.append(id_)

    async def of_message(self, message: str) -> AsyncIterator[DeadLetter]:
        """The newest dead letter of the message with this id, among the newest `MOST_SEARCHED`."""
        async for letter in self.matching(Filters(), await self.now(), newest_first=True):
            if penstock_field(letter.original, ID) == message.encode():
                yield letter
                return
            if self.counts.letters >= MOST_SEARCHED:
                return

    def _read(self, entry: Entry) -> DeadLetter | None:
        self.counts.letters += 1
        letter = DeadLetter.of(entry)
        if letter.belongs_to(self._keys):
            return letter
        self.counts.others += 1
        return None
