"""Compares the sorted sets and hashes with the pending list, which is the truth, and repairs them page by page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, fields

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, number, numbers, text
from penstock.maintenance.unowned import START as FIRST_PAGE
from penstock.maintenance.unowned import reconcile_stream
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

PAGE = 250
"""Entries of an index on one page."""
START, END = "0", "end"


@dataclass(frozen=True, slots=True)
class ReconcileResult:
    """What was repaired on one page."""

    parked_without_due: int = 0
    due_without_parked: int = 0
    brought_back: int = 0
    """Entries that were delivered and not finished, and were not pending."""
    finished_elsewhere: int = 0
    finished_beside: int = 0
    """Entries that were finished while another group, now gone, read the stream."""
    delayed_without_due: int = 0
    due_without_body: int = 0
    forgotten: int = 0
    """Records of entries that are not pending any more."""
    gone: int = 0
    """Unfinished messages that no longer exist."""
    more_left: bool = False
    """Whether more entries of a vanished group are left."""

    @property
    def did_something(self) -> bool:
        """Whether something was repaired; then the next page follows at once."""
        return self != ReconcileResult()

    def __add__(self, other: ReconcileResult) -> ReconcileResult:
        """The sum; `more_left` is that of the last page."""
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)}
        return ReconcileResult(**sums | {"more_left": other.more_left})

    def log_fields(self) -> dict[str, int]:
        """The counts above 0 by name, for the log."""
        return {name: count for name, count in asdict(self).items() if count and name != "more_left"}


Page = Callable[[], Awaitable[ReconcileResult]]


class Reconciler:
    """Goes through the indexes of one pipeline, again and again."""

    def __init__(self, link: Link, keys: PipelineKeys, spec: Pipeline) -> None:
        """The position is kept in memory; a new janitor starts at the beginning."""
        self._link = link
        self._keys = keys
        self._spec = spec
        self._foreign = spec.stream.foreign_workers
        self._parked_from = "-"
        self._due_from = 0
        self._left = (START, START)
        self._delayed: tuple[str, int] = (START, 0)
        self._stream_from = FIRST_PAGE
        # Due times come before the stream: they distinguish parked entries from finished ones.
        self.pages: tuple[Page, ...] = (self.parked, self.due, self.left, self.delayed, self.stream)

    async def parked(self) -> ReconcileResult:
        """Make parked entries without a due time due now."""
        reply = await self._link.run(
            script("reconcile_parked"),
            (self._keys.stream, self._keys.parked),
            (self._keys.group, self._parked_from, PAGE),
        )
        next_, undue = items(reply)
        self._parked_from = text(next_) or "-"
        return ReconcileResult(parked_without_due=number(undue))

    async def due(self) -> ReconcileResult:
        """Remove due times of entries that are not parked; entries that were removed from `~parked` come back."""
        reply = await self._link.run(script("reconcile_due"), self._around(), (self._keys.group, self._due_from, PAGE))
        next_, dropped, back, gone = numbers(reply)
        self._due_from = max(next_, 0)
        return ReconcileResult(due_without_parked=dropped, brought_back=back, gone=gone)

    async def left(self) -> ReconcileResult:
        """Remove records of entries that are not pending."""
        then = "forget" if self._foreign else "force"
        reply = await self._link.run(
            script("reconcile_left"), self._around(), (self._keys.group, *self._left, PAGE, then)
        )
        uncharged, crashed, forgotten, back = items(reply)
        self._left = (text(uncharged), text(crashed))
        if self._left == (END, END):
            self._left = (START, START)
        return ReconcileResult(forgotten=number(forgotten), brought_back=number(back))

    async def delayed(self) -> ReconcileResult:
        """Repair delayed messages without a due time, and due times without a message."""
        reply = await self._link.run(
            script("reconcile_delayed"), (self._keys.delayed, self._keys.bodies), (*self._delayed, PAGE)
        )
        cursor, rank, due, dropped = items(reply)
        self._delayed = (text(cursor), number(rank))
        if self._delayed == (END, -1):
            self._delayed = (START, 0)
        lost = number(dropped)
        return ReconcileResult(delayed_without_due=number(due), due_without_body=lost, gone=lost)

    async def stream(self) -> ReconcileResult:
        """Bring back entries that were delivered and are not pending."""
        page = await reconcile_stream(self._link, self._keys, self._spec, self._stream_from)
        self._stream_from = page.next
        return ReconcileResult(
            brought_back=page.brought_back,
            finished_elsewhere=page.finished_elsewhere,
            finished_beside=page.finished_beside,
            forgotten=page.forgotten,
            more_left=page.more_left,
        )

    def _around(self) -> tuple[str, ...]:
        keys = self._keys
        return keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position
