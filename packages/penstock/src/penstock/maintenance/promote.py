"""Promotes due messages: parked entries become ready, delayed messages enter the stream."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, number, numbers, raw, text
from penstock.scripts import script
from penstock.wire.errors import Refused
from penstock.wire.link import Link

MOST = 100
"""Entries of each kind that one call promotes, which blocks Redis for about 2 ms."""
BYTES = 256 * 1024
"""Bytes of bodies that enter the stream in one call; a larger body enters alone."""


@dataclass(frozen=True, slots=True)
class PromoteResult:
    """The result of one call, and what can be claimed."""

    time: int
    """Redis time, in ms."""
    promoted: int
    """Parked entries that became ready, or suspect again."""
    entered: int
    """Delayed messages that entered the stream."""
    lost: int
    """Parked entries that were deleted from the stream, and delayed messages without a body."""
    next_due: int | None
    """Milliseconds until the next message is due; 0 if more are due now than one call promotes."""
    ready: bool
    suspect: bool
    refused: Refused | None = None
    """Why due messages did not enter the stream."""
    delivered: bytes = b"0-0"
    """The last entry that was delivered to the group."""
    left: bool = False
    """Whether entries of a group that vanished or was set back must be brought back."""


async def promote(link: Link, keys: PipelineKeys) -> PromoteResult:
    """Promote a bounded number of due messages. Raises Refused (see `without_group`) if the group does not exist."""
    reply = await link.run(
        script("promote"),
        (keys.stream, keys.parked, keys.delayed, keys.bodies, keys.crashed, keys.uncharged, keys.position),
        (keys.group, MOST, BYTES),
    )
    *counts, refusal, delivered, left = items(reply)
    time, promoted, entered, lost, next_due, ready, suspect = numbers(counts)
    refused = Refused(text(refusal)) if refusal else None
    return PromoteResult(
        time,
        promoted,
        entered,
        lost,
        None if next_due < 0 else next_due,
        ready > 0,
        suspect > 0,
        refused,
        raw(delivered),
        number(left) > 0,
    )
