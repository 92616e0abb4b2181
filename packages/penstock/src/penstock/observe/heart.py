"""Whether a loop still turns, seen from another thread.

The watched loop says so four times a second, in between whatever it runs. What holds it up for long (a handler that
computes instead of awaiting, a call that blocks) makes the beats late, and that can be seen from outside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

EVERY = 0.25
"""Seconds between two beats."""
WINDOW = 15.0
"""Lateness is remembered for one to two of these."""


class Heart:
    """Beats in one thread; is listened to in others, each of which sees whole numbers, old or new."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._began = self._last
        self._worst = self._worst_before = 0.0
        self._next: asyncio.TimerHandle | None = None

    def beat(self) -> None:
        """The loop turns."""
        now = self._clock()
        late = now - self._last - EVERY
        self._last = now
        if now - self._began >= WINDOW:
            self._worst_before, self._worst, self._began = self._worst, 0.0, now
        self._worst = max(self._worst, late)

    def beat_in(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on, until `stop`; called in that loop's thread."""
        self.beat()
        self._next = loop.call_later(EVERY, self.beat_in, loop)

    def stop(self) -> None:
        """No more beats."""
        if self._next is not None:
            self._next.cancel()

    def age(self) -> float:
        """Seconds since the last beat."""
        return self._clock() - self._last

    def lag(self) -> float:
        """The worst lateness of the last half minute, the present one included."""
        return max(self._worst, self._worst_before, self.age() - EVERY, 0.0)
