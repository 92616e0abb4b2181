"""Heartbeats of an event loop, read by other threads.

The loop beats four times a second. A handler that computes or blocks instead of awaiting delays the beats.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

EVERY = 0.25
"""Seconds between beats."""
WINDOW = 15.0
"""Seconds; the worst delay is remembered for one to two windows."""


class Heartbeat:
    """Beats in one thread and is read in others; each value is replaced atomically."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._began = self._last
        self._worst = self._worst_before = 0.0
        self._next: asyncio.TimerHandle | None = None

    def beat(self) -> None:
        """Record that the loop runs."""
        now = self._clock()
        late = now - self._last - EVERY
        self._last = now
        if now - self._began >= WINDOW:
            self._worst_before, self._worst, self._began = self._worst, 0.0, now
        self._worst = max(self._worst, late)

    def beat_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """Beat until `stop`. Call this in the loop's thread."""
        self.beat()
        self._next = loop.call_later(EVERY, self.beat_in, loop)

    def stop(self) -> None:
        """Stop beating."""
        if self._next is not None:
            self._next.cancel()

    def age(self) -> float:
        """Seconds since the last beat."""
        return self._clock() - self._last

    def lag(self) -> float:
        """The longest delay in the last half minute, including the current one."""
        return max(self._worst, self._worst_before, self.age() - EVERY, 0.0)
