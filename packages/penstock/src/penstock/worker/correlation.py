"""Derives a correlation for messages whose sender gave none: a ULID from stream and entry.

It is not random, so it is the same in each attempt and each worker.
"""

from __future__ import annotations

import hashlib

from penstock.message.ulid import ALPHABET

TIME, RANDOM = 48, 80
"""Bits of a ULID."""


def correlation_of(stream: str, entry: str) -> str:
    """Derive a correlation. Its time is that of the entry; it differs between streams."""
    ms = int(entry.partition("-")[0]) % (1 << TIME)
    digest = int.from_bytes(hashlib.sha256(f"{stream}\0{entry}".encode()).digest()[: RANDOM // 8])
    number = ms << RANDOM | digest
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
