"""How much there is of a pipeline, state by state."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import numbers
from penstock.scripts import script
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class Measurement:
    """One look at a stream and its group. Times are in ms."""

    length: int
    lag: int | None
    """What Redis calls the lag, where it knows."""
    unread: int | None
    """Entries that nobody in the group was given, where that can be told without counting them."""
    running: int
    ready: int
    suspect: int
    parked: int
    delayed: int
    dead: int
    consumers: int
    expired: int
    """Consumers of ours whose lease is over."""
    next_expiry: int | None
    """Until the first of the other leases ends."""
    foreign: int
    foreign_idle: int
    oldest: int
    """How long the oldest message has waited that could be worked on now."""
    groups: int
    """Groups of the stream; 0 where this pipeline's is not there."""
    next_due: int | None
    deleted_unread: int | None
    """Entries that were gone before the group was given them, since Redis last lost count of them."""
    deleted_unread_reported: int | None
    """How many of these were told as lost."""
    cut_off: int
    """Messages that ends of drains cut off, since the group was made."""

    @property
    def pending(self) -> int:
        """Entries that were given out and are neither done nor dead."""
        return self.running + self.ready + self.suspect + self.parked

    def new(self, *, until_done: bool) -> int | None:
        """Entries that nobody was given. What is in a stream that keeps nothing is pending, or it is new."""
        if self.unread is None and until_done:
            return max(0, self.length - self.pending)
        return self.unread


async def measure(link: Link, keys: PipelineKeys) -> Measurement:
    """Look, and change nothing."""
    reply = await link.run(
        script("measure"), (keys.stream, keys.alive, keys.parked, keys.delayed, keys.dead, keys.position), (keys.group,)
    )
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
    ) = numbers(reply)
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
    )


def _known(value: int) -> int | None:
    return None if value < 0 else value
