"""The slot of a key in a Redis Cluster."""

from __future__ import annotations

from binascii import crc_hqx

SLOTS = 16384


def key_slot(key: bytes) -> int:
    """Return the slot of the text in the first pair of braces; if it is empty or missing, that of the whole key."""
    start = key.find(b"{")
    end = key.find(b"}", start + 1)
    tag = key[start + 1 : end] if start >= 0 and end > start + 1 else key
    return crc_hqx(tag, 0) % SLOTS
