"""How many messages are done in a second, as far as Redis alone can tell.

It counts what was ever added to a stream and what a group was ever given (Redis 7 and later). So between two looks

    until-done, this group alone   what left the stream = added - more in the stream now
    otherwise                      what was finished    = given to the group - more pending now

and what went to the dead letters is taken off. Nothing can be told where unread messages may be dropped: they leave the
stream as finished ones do.
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
    """One look. What Redis does not tell is None."""

    time: float
    """Seconds, by Redis's clock."""
    added: int | None
    length: int
    groups: int
    given: int | None
    pending: int
    dead: int | None
    """Dead letters ever added."""


async def counts(link: Link, keys: PipelineKeys) -> Counts:
    """Look; four commands in one go. Raises RedisTrouble."""
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
    about, buried = _words(stream), _words(dead)
    all_groups = [] if isinstance(groups, Refused) else [_words(one) for one in items(groups)]
    own = next((one for one in all_groups if one[b"name"] == keys.group.encode()), {})
    return Counts(
        milliseconds(time) / 1000,
        _known(about, b"entries-added"),
        _known(about, b"length") or 0,
        len(all_groups),
        _known(own, b"entries-read"),
        _known(own, b"pending") or 0,
        _known(buried, b"entries-added"),
    )


def done_per_second(spec: Pipeline, before: Counts, after: Counts) -> float | None:
    """Between two looks; None where it cannot be known."""
    if spec.stream.backlog.when_full == "drop-oldest":
        return None
    took = after.time - before.time
    alone = spec.stream.retention.keeps_nothing and before.groups == after.groups == 1
    left = (
        _grown(before.added, after.added, before.length, after.length)
        if alone
        else _grown(before.given, after.given, before.pending, after.pending)
    )
    if left is None or took <= 0:
        return None
    buried = (after.dead or 0) - (before.dead or 0)
    return max(0, left - max(0, buried)) / took


def _grown(came: int | None, came_now: int | None, there: int, there_now: int) -> int | None:
    """What has gone, of what came and is not there. A count that fell is that of another stream."""
    if came is None or came_now is None or came_now < came:
        return None
    return came_now - came - (there_now - there)


def _words(reply: Reply | Refused) -> dict[bytes, Reply]:
    """Words and values in turn; nothing where there is no such key."""
    if isinstance(reply, Refused):
        if reply.code in ("NOPERM", "WRONGTYPE"):
            raise reply
        return {}
    return mapping(reply)


def _known(words: dict[bytes, Reply], name: bytes) -> int | None:
    told = words.get(name)
    return None if told is None else number(told)
