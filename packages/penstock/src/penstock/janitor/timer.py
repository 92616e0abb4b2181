"""When it is time again."""

from __future__ import annotations

from collections.abc import Callable

SOON = 60.0


class Timer:
    """Comes due at once, and then again after so many seconds."""

    def __init__(self, seconds: float, own: Callable[[], float]) -> None:
        self._seconds = seconds
        self._own = own
        self._next = own()

    def left(self) -> float:
        """Seconds until it is due."""
        return max(0.0, self._next - self._own())

    def is_due(self) -> bool:
        """Whether it is time."""
        return self._own() >= self._next

    def begin(self) -> None:
        """It was done: the time begins anew."""
        self._next = self._own() + self._seconds

    def again(self) -> None:
        """It is due at once: there is more to do."""
        self._next = self._own()

    def soon(self) -> None:
        """Unless it is done: it is tried again before its time, but not so often that failing costs much."""
        self._next = self._own() + min(self._seconds, SOON)
