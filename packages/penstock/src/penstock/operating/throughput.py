"""Computes throughput from Redis's own counters.

Redis 7 and later count entries ever added to a stream, and entries ever delivered to a group. Between two polls:

    until-done, one group   done = added - growth of the stream
    otherwise               done = delivered to the group - growth of the pending list

Dead letters are subtracted. With `drop-oldest`, dropped messages look like finished ones, so throughput is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock.keys import PipelineKeys
from penstock.maintenance.replies import items, mapping, milliseconds, number
from penstock.wire.errors import Refused, Reply
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.spec import Pipeline


@dataclass(frozen=True, slots=True)
class Counts:
    """Counters at one moment; None if Redis does not have them."""

    time: float
    """Seconds of Redis time."""
    added: int | None
    length: int
    groups: int
    given: int | None
    pending: int
    dead: int | None
    """Dead letters ever written."""


async def counts(link: Link, keys: PipelineKeys) -> Counts:
    """Read all counters in one round trip. Raises RedisTrouble."""
    time, stream, groups, dead = await link.calls(
        [
            ("TIME",),
            ("XINFO", "STREAM", keys.stream),
            ("XINFO", "GROUPS", keys.stream),
            ("XINFO", "STREAM", keys.dead),
        ]
    )
    if isinstance(time, Refused):
        raise time
    info, dead_info = _fields(stream), _fields(dead)
    all_groups = [] if isinstance(groups, Refused) else [_fields(one) for one in items(groups)]
    own = next((one for one in all_groups if one[b"name"] == keys.group.encode()), {})
    return Counts(
        milliseconds(time) / 1000,
        _known(info, b"entries-added"),
        _known(info, b"length") or 0,
        len(all_groups),
        _known(own, b"entries-read"),
        _known(own, b"pending") or 0,
        _known(dead_info, b"entries-added"),
    )


def done_per_second(spec: Pipeline, before: Counts, after: Counts) -> float | None:
    """Throughput between two moments; None if unknown."""
    if spec.stream.backlog.when_full == "drop-oldest":
        return None
    seconds = after.time - before.time
    only_group = spec.stream.retention.keeps_nothing and before.groups == after.groups == 1
    finished = (
        _left(before.added, after.added, before.length, after.length)
        if only_group
        else _left(before.given, after.given, before.pending, after.pending)
    )
    if finished is None or seconds <= 0:
        return None
    buried = (after.dead or 0) - (before.dead or 0)
    return max(0, finished - max(0, buried)) / seconds


def _left(came: int | None, came_now: int | None, there: int, there_now: int) -> int | None:
    """How many entries left between two moments; None if unknown. A counter that fell belongs to a new stream."""
    if came is None or came_now is None or came_now < came:
        return None
    return came_now - came - (there_now - there)


def _fields(reply: Reply | Refused) -> dict[bytes, Reply]:
    """The fields of the reply; empty if the key does not exist."""
    if isinstance(reply, Refused):
        if reply.code in ("NOPERM", "WRONGTYPE"):
            raise reply
        return {}
    return mapping(reply)


def _known(fields: dict[bytes, Reply], name: bytes) -> int | None:
    value = fields.get(name)
    return None if value is None else number(value)
