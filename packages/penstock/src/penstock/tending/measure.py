"""How much there is of a pipeline, state by state."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.scripts import script
from penstock.tending.replies import numbers
from penstock.wire.link import Link


@dataclass(frozen=True, slots=True)
class Measured:
    """One look at a stream and its group. Times are in ms."""

    length: int
    lag: int | None
    """What Redis calls the lag, where it knows."""
    unread: int | None
    """Entries that nobody in the group was given, where that can be told without counting them."""
    held: int
    ready: int
    suspect: int
    parked: int
    delayed: int
    dead: int
    consumers: int
    over: int
    """Consumers of ours whose lease is over."""
    first_end: int | None
    """Until the first of the other leases ends."""
    strangers: int
    stranger_idle: int
    waited: int
    """How long the oldest message has waited that could be worked on now."""
    groups: int
    """Groups of the stream; 0 where this pipeline's is not there."""
    next_due: int | None
    vanished: int | None
    """Entries that were gone before the group was given them, since Redis last lost count of them."""
    told: int | None
    """How many of these were told as lost."""
    cut: int
    """Messages that ends of drains cut off, since the group was made."""

    @property
    def pending(self) -> int:
        """Entries that were given out and are neither done nor dead."""
        return self.held + self.ready + self.suspect + self.parked

    def new(self, *, until_done: bool) -> int | None:
        """Entries that nobody was given. What is in a stream that keeps nothing is pending, or it is new."""
        if self.unread is None and until_done:
            return max(0, self.length - self.pending)
        return self.unread


async def measure(link: Link, keys: PipelineKeys) -> Measured:
    """Look, and change nothing."""
    reply = await link.run(
        script("measure"), (keys.stream, keys.alive, keys.parked, keys.delayed, keys.dead, keys.position), (keys.group,)
    )
    (
        length,
        lag,
        unread,
        held,
        ready,
        suspect,
        parked,
        delayed,
        dead,
        consumers,
        over,
        first_end,
        strangers,
        stranger_idle,
        waited,
        groups,
        next_due,
        vanished,
        told,
        cut,
    ) = numbers(reply)
    return Measured(
        length=length,
        lag=_known(lag),
        unread=_known(unread),
        held=held,
        ready=ready,
        suspect=suspect,
        parked=parked,
        delayed=delayed,
        dead=dead,
        consumers=consumers,
        over=over,
        first_end=_known(first_end),
        strangers=strangers,
        stranger_idle=stranger_idle,
        waited=waited,
        groups=groups,
        next_due=_known(next_due),
        vanished=_known(vanished),
        told=_known(told),
        cut=cut,
    )


def _known(told: int) -> int | None:
    return None if told < 0 else told
