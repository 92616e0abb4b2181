"""The fields of a dead letter: the original ones byte for byte, then those of Penstock."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.handling.failures import LONGEST
from penstock.keys import PipelineKeys
from penstock.worker.delivery import Buried

MOST_FIELDS = 1000
"""Lua cannot pass more than some thousands of values at once; an entry with more is packed into one field."""
PREFIX = b"penstock-dead-"
PACKED = PREFIX + b"packed"


def dead_letter_fields(buried: Buried, keys: PipelineKeys, at: int) -> list[bytes]:
    """List names and values of the dead letter. `at` is in milliseconds."""
    delivery = buried.delivery
    own_fields = {
        b"id": delivery.id,
        b"reason": buried.reason.encode(),
        b"error": buried.error[:LONGEST].encode("utf-8", "backslashreplace"),
        b"attempts": b"%d" % delivery.attempt,
        b"consumer": delivery.consumer.encode(),
        b"at": b"%d" % at,
        b"group": keys.group.encode(),
        b"stream": keys.stream.encode(),
    }
    added = [part for name, value in own_fields.items() for part in (PREFIX + name, value)]
    return [
        *(delivery.fields if len(delivery.fields) <= 2 * MOST_FIELDS else (PACKED, pack_fields(delivery.fields))),
        *added,
    ]


def pack_fields(fields: Sequence[bytes]) -> bytes:
    """Write names and values as netstrings, one after the other."""
    return b"".join(b"%d:%s," % (len(delivery), delivery) for delivery in fields)


def unpack_fields(text: bytes) -> list[bytes]:
    """Read what `pack_fields` wrote."""
    fields: list[bytes] = []
    at = 0
    while at < len(text):
        colon = text.index(b":", at)
        end = colon + 1 + int(text[at:colon])
        fields.append(text[colon + 1 : end])
        at = end + 1
    return fields


def penstock_field(fields: Sequence[bytes], name: bytes) -> bytes | None:
    """Get one of Penstock's fields of an entry; entries of foreign senders have none."""
    for at in range(0, len(fields) - 1, 2):
        if fields[at] == name:
            return fields[at + 1]
    return None
