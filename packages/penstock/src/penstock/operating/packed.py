"""Unpacks the fields of a delayed message, which `send.lua` packs as a MessagePack array of strings."""

from __future__ import annotations

ARRAY_SIZES = {0xDC: 2, 0xDD: 4}
"""First byte -> bytes of the item count."""
STRING_SIZES = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
SHORT_ARRAY, SHORT_STRING = range(0x90, 0xA0), range(0xA0, 0xC0)


def unpacked_fields(packed: bytes) -> list[bytes]:
    """Names and values in turn. Raises ValueError for any other format."""
    count, at = _size(packed, 0, SHORT_ARRAY, ARRAY_SIZES)
    fields = []
    for _ in range(count):
        length, begin = _size(packed, at, SHORT_STRING, STRING_SIZES)
        at = begin + length
        fields.append(packed[begin:at])
    if at != len(packed):
        raise ValueError("the packed fields end early or late")
    return fields


def _size(packed: bytes, at: int, short: range, sizes: dict[int, int]) -> tuple[int, int]:
    """The number of items, and where they start."""
    first = packed[at] if at < len(packed) else -1
    if first in short:
        return first - short.start, at + 1
    if first not in sizes:
        raise ValueError("an unexpected type is packed")
    end = at + 1 + sizes[first]
    return int.from_bytes(packed[at + 1 : end]), end
