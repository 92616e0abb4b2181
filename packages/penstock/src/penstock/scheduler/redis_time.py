"""Estimates Redis time between two replies: monotonic time plus the last measured difference.

The wall time of the pod does not matter: it may be an hour off.
"""

from __future__ import annotations

from penstock.clocks import Clocks

PROMPT = 1.0
"""The time is corrected only by replies that take at most this many seconds."""


class RedisTime:
    """Redis time in seconds. Known after the first reply."""

    def __init__(self, clocks: Clocks) -> None:
        """Nothing is measured yet."""
        self._monotonic = clocks.monotonic
        self._difference = 0.0
        self._measured: float | None = None

    def correct(self, ms: int, sent: float) -> None:
        """Redis replied with this time; `sent` is when the call was sent, in monotonic time.

        A slow reply is ignored: the pod may have been suspended since Redis sent it.
        """
        now = self._monotonic()
        if self._measured is not None and now - sent > PROMPT:
            return
        self._measured = now
        self._difference = ms / 1000 - self._measured

    @property
    def is_known(self) -> bool:
        """Whether the time was ever measured."""
        return self._measured is not None

    def now(self) -> float:
        """Redis time."""
        return self._monotonic() + self._difference

    def to_monotonic(self, redis_time: float) -> float:
        """A Redis time as monotonic time."""
        return redis_time - self._difference
