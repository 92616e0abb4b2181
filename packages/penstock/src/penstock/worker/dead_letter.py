"""The fields of a dead letter: the original fields byte for byte, then Penstock's."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.handling.failures import LONGEST
from penstock.keys import PipelineKeys
from penstock.worker.delivery import Buried

MOST_FIELDS = 1000
"""An entry with more fields is packed into one: Lua can pass only some thousands of values to a command."""
PREFIX = b"penstock-dead-"
PACKED = PREFIX + b"packed"


def dead_letter_fields(buried: Buried, keys: PipelineKeys, at: int) -> list[bytes]:
    """Names and values of the dead letter; without the original ones if Redis copies them. `at` is in milliseconds."""
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
    if delivery.left_out:
        return added
    return [
        *(delivery.fields if len(delivery.fields) <= 2 * MOST_FIELDS else (PACKED, pack_fields(delivery.fields))),
        *added,
    ]


def pack_fields(fields: Sequence[bytes]) -> bytes:
    """Pack names and values as netstrings."""
    return b"".join(b"%d:%s," % (len(part), part) for part in fields)


def unpack_fields(text: bytes) -> list[bytes]:
    """Unpack the result of `pack_fields`."""
    fields: list[bytes] = []
    at = 0
    while at < len(text):
        colon = text.index(b":", at)
        end = colon + 1 + int(text[at:colon])
        fields.append(text[colon + 1 : end])
        at = end + 1
    return fields


def penstock_field(fields: Sequence[bytes], name: bytes) -> bytes | None:
    """One of Penstock's fields of an entry; entries of foreign senders have none."""
    for at in range(0, len(fields) - 1, 2):
        if fields[at] == name:
            return fields[at + 1]
    return None
