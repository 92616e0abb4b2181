"""Trims finished entries by the spec's retention, and expired dead letters."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, number, numbers, text
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.stream import KeepAge, KeepLength
from penstock_spec.kinds.pipeline.waits import waits

ENTRIES = 300
BYTES = 256 * 1024
"""Limits of a page of finished entries; the first one reached counts."""
REMEMBERED = 1000
"""Most unfinished entries that are recorded, in about a millisecond. Above the last of them, finished entries run again
if the group vanishes."""
DEAD = 200
"""Most dead letters that one call removes; they are as large as messages."""


@dataclass(frozen=True, slots=True)
class TrimResult:
    """The result of one page."""

    removed: int
    more: bool
    held: int
    """Entries beyond the retention that stay because a group has not finished them; counted by age, at most a page."""
    holder: str
    """That group."""


class Trimmer:
    """Removes entries that all groups have finished."""

    def __init__(self, link: Link, keys: PipelineKeys, spec: Pipeline) -> None:
        """Nothing is removed yet."""
        self._link = link
        self._keys = keys
        self._attempts = max(one.attempts for one in waits(spec.retries))
        self._dead_keep = spec.dead_letter.keep.amount
        keep = spec.stream.retention.keep
        self._keep: tuple[str, int] | None = None
        if isinstance(keep, KeepLength):
            self._keep = ("length", keep.length)
        elif isinstance(keep, KeepAge):
            self._keep = ("age", keep.age.amount)

    @property
    def keeps_history(self) -> bool:
        """Whether finished entries stay in the stream."""
        return self._keep is not None

    async def remember(self) -> None:
        """Record what the group has not finished, in case it vanishes; removes nothing."""
        keys = self._keys
        names = (keys.stream, keys.uncharged, keys.position)
        await self._link.run(script("remember"), names, (keys.group, REMEMBERED, self._attempts))

    async def history(self) -> TrimResult:
        """Remove a page of finished entries."""
        if self._keep is None:
            return TrimResult(0, more=False, held=0, holder="")
        keys = self._keys
        reply = await self._link.run(
            script("trim"),
            (keys.stream, keys.position, keys.parked, keys.uncharged, keys.crashed),
            (*self._keep, ENTRIES, BYTES, keys.group),
        )
        removed, more, held, holder = items(reply)
        return TrimResult(number(removed), more == 1, number(held), text(holder))

    async def dead(self) -> TrimResult:
        """Remove a page of expired dead letters."""
        reply = await self._link.run(script("trim_dead"), (self._keys.dead,), (self._dead_keep, DEAD, BYTES))
        removed, more = numbers(reply)
        return TrimResult(removed, more=more == 1, held=0, holder="")
