"""Redis's time, as a pod has it between two answers: its own monotonic clock, and how far apart the two are.

No wall clock counts: one that is an hour off changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

PROMPT = 1.0
"""Seconds within which an answer tells the time."""


class RedisClock:
    """In seconds. Known from the first answer on."""

    def __init__(self, own: Callable[[], float], trusted: float) -> None:
        """`own` is monotonic; what was measured is `trusted` for so many seconds."""
        self._own = own
        self._trusted = trusted
        self._apart = 0.0
        self._measured: float | None = None

    def told(self, ms: int, asked: float) -> None:
        """Redis said so after it was `asked`. What took long may be old by now: the pod itself may have stood still."""
        now = self._own()
        if self._measured is not None and now - asked > PROMPT:
            return
        self._measured = now
        self._apart = ms / 1000 - self._measured

    @property
    def is_stale(self) -> bool:
        """Whether to ask again before it is relied on."""
        return self._measured is None or self._own() - self._measured > self._trusted

    @property
    def is_known(self) -> bool:
        """Whether Redis has ever said."""
        return self._measured is not None

    def now(self) -> float:
        """Redis's time."""
        return self._own() + self._apart

    def own(self, then: float) -> float:
        """A time of Redis's on the pod's own clock."""
        return then - self._apart
