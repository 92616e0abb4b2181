"""Decides how many messages to send per call, and how long to wait before the next attempt."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

MOST = 200
"""Messages per call. They block Redis for about half a millisecond, twice that with deduplication."""

FIRST_POLL, LONGEST_POLL = 0.01, 1.0
LONGEST_BACKOFF = 30.0
"""Seconds. Limits the spec's backoff, so that sends do not wait for hours after Redis is back."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The spec's waits between attempts."""

    first: float
    factor: float

    def after(self, attempts: int) -> float:
        """Return the seconds before the next attempt."""
        wait = self.first
        for _ in range(attempts - 1):
            if wait >= LONGEST_BACKOFF:
                break
            wait *= self.factor
        return min(wait, LONGEST_BACKOFF)


class Pace:
    """Paces sends that wait for room in the backlog.

    It polls at growing intervals, with as many messages as recently found room.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        """`chance` returns numbers between 0 and 1, so that producers do not poll at the same moment."""
        self._chance = chance
        self._polls = 0
        self.most = MOST

    def record_room(self, messages: int, *, for_all: bool) -> None:
        """Record how many messages found room."""
        if messages:
            self._polls = 0
        self.most = min(2 * self.most, MOST) if for_all else max(1, messages)

    def poll(self) -> float:
        """Return the seconds until the next poll."""
        longest = min(FIRST_POLL * 2.0 ** min(self._polls, 30), LONGEST_POLL)
        self._polls += 1
        return longest * (1 + self._chance()) / 2
