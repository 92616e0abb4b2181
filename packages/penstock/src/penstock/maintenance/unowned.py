"""Brings back entries of the stream that were delivered and are not pending; see `reconcile_stream.lua`."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, numbers, text
from penstock.scripts import script
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline

ENTRIES = 300
BYTES = 256 * 1024
"""Limits of a page of the stream; the first one reached counts."""
START = "-"


@dataclass(frozen=True, slots=True)
class UnownedPage:
    """What was repaired on one page."""

    next: str
    """Where to continue."""
    brought_back: int
    finished_elsewhere: int
    more_left: bool
    """Whether more entries are left of a group that vanished or was set back."""
    finished_beside: int
    forgotten: int


async def reconcile_stream(link: Link, keys: PipelineKeys, spec: Pipeline, start: str = START) -> UnownedPage:
    """Repair a page. What is left of a group that vanished or was set back comes first, wherever `start` is."""
    unfinished = "delete" if spec.stream.foreign_workers else "force"
    if not spec.stream.retention.keeps_nothing:
        unfinished = "history"
    reply = await link.run(
        script("reconcile_stream"),
        (keys.stream, keys.parked, keys.uncharged, keys.crashed, keys.position, keys.finished),
        (keys.group, start, ENTRIES, BYTES, unfinished),
    )
    next_, *counts = items(reply)
    back, elsewhere, more, finished_beside, forgotten = numbers(counts)
    return UnownedPage(text(next_) or START, back, elsewhere, more == 1, finished_beside, forgotten)
