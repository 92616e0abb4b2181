"""Takes over the messages of lost workers."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.clocks import CLOCKS, Clocks
from penstock.keys import PipelineKeys
from penstock.maintenance.contact import Contact
from penstock.maintenance.replies import items, number, raw, text
from penstock.scripts import Script, script
from penstock.wire.errors import RedisTrouble, Reply
from penstock.wire.link import Link

PAGE = 250
"""Entries that one call takes over, which blocks Redis for about 1 ms."""
CONSUMERS = 100
"""Most lost consumers of one pass; the next pass gets the others."""


@dataclass(frozen=True, slots=True)
class TakeoverResult:
    """The result of one pass."""

    suspects: int = 0
    """Entries that were running in a lost worker, and are suspect now."""
    lost: int = 0
    """Entries that were deleted from the stream."""
    removed: int = 0
    """Consumers that own nothing any more and were deleted."""
    adopted: int = 0
    """Penstock consumers that had no lease, and now have one that is marked as lost."""


class Takeover:
    """Takes over messages of consumers whose lease has expired. Several processes may do this at the same time."""

    def __init__(
        self, link: Link, keys: PipelineKeys, lease: int, *, deletes: bool = True, clocks: Clocks = CLOCKS
    ) -> None:
        """A pause of more than a third of `lease` ms between passes breaks the contact.

        `deletes`: the stream keeps no settled messages.
        """
        self._link = link
        self._keys = keys
        self._lease = lease
        self._deletes = int(deletes)
        self._contact = Contact(link, lease // 3, clocks)

    async def run(self) -> TakeoverResult:
        """Run one pass. It takes over only after a full lease of uninterrupted contact with one server (run id)."""
        try:
            return await self._run_once()
        except RedisTrouble:
            self._contact.broken()
            raise

    async def _run_once(self) -> TakeoverResult:
        leases = (self._keys.stream, self._keys.alive)
        asof, adopted, *expired = await self._run(script("overdue"), leases, self._keys.group, self._lease, CONSUMERS)
        await self._contact.check_server()
        self._contact.answered(number(asof))
        suspects = lost = removed = 0
        for consumer in expired:
            more = True
            while more and self._contact.lasts(self._lease):
                answer, moved, deleted, redis_time = await self._take_over(raw(consumer))
                suspects, lost, removed = suspects + moved, lost + deleted, removed + (answer == "done")
                more = answer == "more"
                self._contact.answered(redis_time)
                if answer == "stale":  # Redis hung: consumers may still renew their expired leases
                    self._contact.broken()
        return TakeoverResult(suspects, lost, removed, number(adopted))

    async def _take_over(self, consumer: bytes) -> tuple[str, int, int, int]:
        args = (self._keys.group, self._lease, consumer, PAGE, self._contact.asof, self._deletes)
        answer, moved, deleted, redis_time = await self._run(
            script("take_over"), (self._keys.stream, self._keys.alive, self._keys.crashed), *args
        )
        return text(answer), number(moved), number(deleted), number(redis_time)

    async def _run(self, script_: Script, keys: tuple[str, ...], *args: bytes | str | int) -> list[Reply]:
        return items(await self._link.run(script_, keys, args))
