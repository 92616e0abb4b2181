"""When it is time again."""

from __future__ import annotations

from penstock.clocks import Clocks

SOON = 60.0


class Timer:
    """Comes due at once, and then again after so many seconds."""

    def __init__(self, seconds: float, clocks: Clocks) -> None:
        self._seconds = seconds
        self._monotonic = clocks.monotonic
        self._next = clocks.monotonic()

    def left(self) -> float:
        """Seconds until it is due."""
        return max(0.0, self._next - self._monotonic())

    def is_due(self) -> bool:
        """Whether it is time."""
        return self._monotonic() >= self._next

    def begin(self) -> None:
        """It was done: the time begins anew."""
        self._next = self._monotonic() + self._seconds

    def again(self) -> None:
        """It is due at once: there is more to do."""
        self._next = self._monotonic()

    def soon(self) -> None:
        """Unless it is done: it is tried again before its time, but not so often that failing costs much."""
        self._next = self._monotonic() + min(self._seconds, SOON)
