"""Limits a line to once every half minute."""

from __future__ import annotations

from collections.abc import Callable

EVERY = 30.0


class Throttle:
    """Remembers which kinds of trouble last, and when each was logged."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` is monotonic, in seconds."""
        self._clock = clock
        self._logged: dict[str, float] = {}

    def admits(self, trouble: str) -> bool:
        """Whether to log this trouble now."""
        now = self._clock()
        if now - self._logged.get(trouble, -EVERY) < EVERY:
            return False
        self._logged[trouble] = now
        return True

    def ends(self, trouble: str) -> bool:
        """Forget this trouble; return whether there was any."""
        return self._logged.pop(trouble, None) is not None
