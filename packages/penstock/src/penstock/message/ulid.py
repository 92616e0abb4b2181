"""ULIDs: 26 characters that sort by their creation time in milliseconds."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's alphabet: no I, L, O and U."""

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.ASCII)
_VALUES = {letter: value for value, letter in enumerate(ALPHABET)}
_PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)
_LOW = 2**20
"""The range of the last four characters; the others are encoded once per millisecond."""


def wall_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def is_ulid(text: str) -> bool:
    """Whether a text is a ULID in upper case, as this module writes them."""
    return _ULID.fullmatch(text) is not None


def time_of(ulid: str) -> int:
    """Return the creation time in milliseconds since 1970."""
    if not is_ulid(ulid):
        raise ValueError("not a ULID")
    made = 0
    for letter in ulid[:10]:
        made = made << 5 | _VALUES[letter]
    return made


class Ulids:
    """Creates ULIDs, each greater than the previous one, even if the clock goes back. Threads may share it.

    Within a millisecond, the random part is incremented to keep the order. After a fork, the child needs a new
    instance.
    """

    def __init__(self, clock: Callable[[], int] = wall_clock, randomness: Callable[[int], bytes] = os.urandom) -> None:
        """`clock` returns milliseconds; `randomness` returns the requested number of bytes."""
        self._clock = clock
        self._randomness = randomness
        self._lock = threading.Lock()
        self._made = -1
        self._high = 0
        self._low = 0
        self._prefix = ""

    def __call__(self) -> str:
        """Return the next ULID."""
        with self._lock:
            now = self._clock()
            if now > self._made:
                self._begin(now)
            else:
                self._low += 1
                if self._low == _LOW:
                    self._carry()
            return self._prefix + _PAIRS[self._low >> 10] + _PAIRS[self._low & 1023]

    def _begin(self, made: int) -> None:
        random = int.from_bytes(self._randomness(10))
        self._made, self._high, self._low = made, random >> 20, random % _LOW
        self._write()

    def _carry(self) -> None:
        if self._high == 2**60 - 1:
            self._begin(self._made + 1)
        else:
            self._high, self._low = self._high + 1, 0
            self._write()

    def _write(self) -> None:
        number = self._made << 60 | self._high
        self._prefix = "".join(_PAIRS[number >> shift & 1023] for shift in range(100, -10, -10))
