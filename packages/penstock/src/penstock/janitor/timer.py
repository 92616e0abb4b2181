"""Timers of recurring tasks."""

from __future__ import annotations

from penstock.clocks import Clocks

SOON = 60.0


class Timer:
    """Due at once, and then after each interval in seconds."""

    def __init__(self, seconds: float, clocks: Clocks) -> None:
        self._seconds = seconds
        self._monotonic = clocks.monotonic
        self._next = clocks.monotonic()

    def left(self) -> float:
        """Seconds until it is due."""
        return max(0.0, self._next - self._monotonic())

    def is_due(self) -> bool:
        """Whether it is due."""
        return self._monotonic() >= self._next

    def begin(self) -> None:
        """Restart the interval."""
        self._next = self._monotonic() + self._seconds

    def again(self) -> None:
        """Make it due at once, because there is more to do."""
        self._next = self._monotonic()

    def soon(self) -> None:
        """Be due after a minute at most, in case the task fails: soon, but not so often that failures cost much."""
        self._next = self._monotonic() + min(self._seconds, SOON)
