"""Promotes due messages: parked entries become ready, delayed messages enter the stream."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, numbers, text
from penstock.scripts import script
from penstock.wire.errors import Refused
from penstock.wire.link import Link

MOST = 100
"""Entries of each kind that one call promotes, which takes Redis about 2 ms."""
BYTES = 256 * 1024
"""Bodies that enter the stream in one call; a larger one enters alone."""


@dataclass(frozen=True, slots=True)
class PromoteResult:
    """What one call did, and what can be claimed."""

    time: int
    """Redis time, in ms."""
    promoted: int
    """Parked entries that became ready, or suspects again."""
    entered: int
    """Delayed messages that entered the stream."""
    lost: int
    """Parked entries that somebody deleted from the stream, and delayed messages without a body."""
    next_due: int | None
    """Milliseconds until something is due; 0 if more is due now than one call promotes."""
    ready: bool
    suspect: bool
    refused: Refused | None = None
    """Why due messages did not enter the stream."""


async def promote(link: Link, keys: PipelineKeys) -> PromoteResult:
    """Promote a bounded number of due messages. Raises Refused (see `without_group`) if the group does not exist."""
    reply = await link.run(
        script("promote"),
        (keys.stream, keys.parked, keys.delayed, keys.bodies, keys.crashed),
        (keys.group, MOST, BYTES),
    )
    *counts, why = items(reply)
    time, promoted, entered, lost, next_due, ready, suspect = numbers(counts)
    refused = Refused(text(why)) if why else None
    return PromoteResult(
        time, promoted, entered, lost, None if next_due < 0 else next_due, ready > 0, suspect > 0, refused
    )
