"""Trouble in the log: when it begins, now and then while it lasts, and when it is over.

Each activity complains under a name of its own, which its own success closes: what goes well beside it proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from penstock.observe.logs import Log

EVERY = 30.0


class Complaints:
    """Says the same thing every half minute at the most."""

    def __init__(self, log: Log, clock: Callable[[], float]) -> None:
        """`clock` is monotonic, in seconds."""
        self._log = log
        self._clock = clock
        self._said: dict[str, float] = {}

    def trouble(self, doing: str, error: Exception, **fields: object) -> None:
        """Something could not be done."""
        now = self._clock()
        if now - self._said.get(doing, -EVERY) >= EVERY:
            self._said[doing] = now
            self._log.error(f"{doing}: {error}", error=type(error).__name__, **fields)

    def over(self, doing: str, says: str = "Redis answers again") -> None:
        """It could be done again."""
        if self._said.pop(doing, None) is not None:
            self._log.info(f"{doing}: {says}")
