"""Counts the messages of a pipeline by state."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, numbers, raw
from penstock.scripts import script
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class Measurement:
    """The state of a stream and its group at one moment. Times are in ms."""

    length: int
    lag: int | None
    """The lag that Redis reports; None if it is unknown."""
    unread: int | None
    """Entries that the group has not read; None if Redis would have to count them."""
    running: int
    ready: int
    suspect: int
    parked: int
    delayed: int
    dead: int
    consumers: int
    expired: int
    """Consumers of Penstock whose lease has expired."""
    next_expiry: int | None
    """Time until the next lease expires."""
    foreign: int
    foreign_idle: int
    oldest: int
    """How long the oldest message that could run now has waited."""
    groups: int
    """Groups of the stream; 0 if this pipeline's does not exist."""
    next_due: int | None
    deleted_unread: int | None
    """Entries that were deleted before the group read them; Redis may lose this count and restart it."""
    deleted_unread_reported: int | None
    """How many of these were reported as lost."""
    cut_off: int
    """Messages that drains gave back while they ran, since the group was created."""
    finished: int
    """Finished entries that stay in the stream because another group reads it."""
    unread_is_exact: bool
    """Whether `unread` was counted; otherwise it is the lag that Redis reports."""
    counted_on: bytes
    """The server on which `deleted_unread_reported` was counted; empty if unknown."""
    large: bytes
    """Large entries that were read, for the next call of `measure`."""

    @property
    def pending(self) -> int:
        """Entries that were delivered and are neither done nor dead."""
        return self.running + self.ready + self.suspect + self.parked

    def new(self, *, until_done: bool) -> int | None:
        """New entries; in a stream that keeps nothing (`until_done`), those that are neither pending nor finished.

        Redis 7.0 reports too large a lag after it was restarted from an append-only file.
        """
        if until_done and not self.unread_is_exact:
            return max(0, self.length - self.pending - self.finished)
        return self.unread

    @property
    def unfinished(self) -> int:
        """Entries of a stream that keeps nothing, without those that are only there for another group."""
        return max(0, self.length - self.finished)


async def measure(link: Link, keys: PipelineKeys, large: bytes = b"") -> Measurement:
    """Measure a pipeline without changing it.

    `large` is that of the previous measurement: its large entries are not read again, because that blocks Redis.
    """
    reply = await link.run(
        script("measure"),
        (keys.stream, keys.alive, keys.parked, keys.delayed, keys.dead, keys.position, keys.finished),
        (keys.group, large),
    )
    *counts, counted_on, large_entries = items(reply)
    (
        length,
        lag,
        unread,
        running,
        ready,
        suspect,
        parked,
        delayed,
        dead,
        consumers,
        expired,
        next_expiry,
        foreign,
        foreign_idle,
        oldest,
        groups,
        next_due,
        deleted_unread,
        deleted_unread_reported,
        cut_off,
        finished,
        exact,
    ) = numbers(counts)
    return Measurement(
        length=length,
        lag=_known(lag),
        unread=_known(unread),
        running=running,
        ready=ready,
        suspect=suspect,
        parked=parked,
        delayed=delayed,
        dead=dead,
        consumers=consumers,
        expired=expired,
        next_expiry=_known(next_expiry),
        foreign=foreign,
        foreign_idle=foreign_idle,
        oldest=oldest,
        groups=groups,
        next_due=_known(next_due),
        deleted_unread=_known(deleted_unread),
        deleted_unread_reported=_known(deleted_unread_reported),
        cut_off=cut_off,
        finished=finished,
        unread_is_exact=exact == 1,
        counted_on=raw(counted_on),
        large=raw(large_entries),
    )


def _known(value: int) -> int | None:
    return None if value < 0 else value
