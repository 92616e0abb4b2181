"""Dead letters: the original fields byte for byte, then the story."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.handling.failures import LONGEST
from penstock.keys import PipelineKeys
from penstock.worker.delivery import Buried

MOST_FIELDS = 1000
"""Lua cannot hand over more than some thousands of values at once; an entry with more is packed into one field."""
PREFIX = b"penstock-dead-"
PACKED = PREFIX + b"packed"


def dead_letter_fields(buried: Buried, keys: PipelineKeys, at: int) -> list[bytes]:
    """Names and values of the dead letter. `at` is in milliseconds."""
    one = buried.delivery
    story = {
        b"id": one.id,
        b"reason": buried.reason.encode(),
        b"error": buried.error[:LONGEST].encode("utf-8", "backslashreplace"),
        b"attempts": b"%d" % one.attempt,
        b"consumer": one.consumer.encode(),
        b"at": b"%d" % at,
        b"group": keys.group.encode(),
        b"stream": keys.stream.encode(),
    }
    told = [part for name, value in story.items() for part in (PREFIX + name, value)]
    return [*(one.fields if len(one.fields) <= 2 * MOST_FIELDS else (PACKED, pack_fields(one.fields))), *told]


def pack_fields(fields: Sequence[bytes]) -> bytes:
    """Names and values as netstrings, one after the other."""
    return b"".join(b"%d:%s," % (len(one), one) for one in fields)


def unpack_fields(text: bytes) -> list[bytes]:
    """What was packed."""
    fields: list[bytes] = []
    at = 0
    while at < len(text):
        colon = text.index(b":", at)
        end = colon + 1 + int(text[at:colon])
        fields.append(text[colon + 1 : end])
        at = end + 1
    return fields


def penstock_field(fields: Sequence[bytes], name: bytes) -> bytes | None:
    """One of our own fields of an entry; senders of another make have none."""
    for at in range(0, len(fields) - 1, 2):
        if fields[at] == name:
            return fields[at + 1]
    return None
