"""How many letters go at a time, and how long to wait where something stands in the way."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

MOST = 200
"""Letters of one call: they take Redis about half a millisecond, and twice that with deduplication."""

FIRST_POLL, LONGEST_POLL = 0.01, 1.0
LONGEST_BACKOFF = 30.0
"""Seconds. Whatever a spec says, sends do not wait for hours once Redis is back."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The spec's waits between attempts."""

    first: float
    factor: float

    def after(self, attempts: int) -> float:
        """Seconds before the next one."""
        wait = self.first
        for _ in range(attempts - 1):
            if wait >= LONGEST_BACKOFF:
                break
            wait *= self.factor
        return min(wait, LONGEST_BACKOFF)


class Pace:
    """Of sends that wait for room: polls further and further apart, each with no more than lately found room."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        """`chance` is between 0 and 1, so that producers do not ask all at once."""
        self._chance = chance
        self._polls = 0
        self.most = MOST

    def found_room(self, letters: int, *, for_all: bool) -> None:
        """So many were taken."""
        if letters:
            self._polls = 0
        self.most = min(2 * self.most, MOST) if for_all else max(1, letters)

    def poll(self) -> float:
        """Seconds until to look for room again."""
        longest = min(FIRST_POLL * 2.0 ** min(self._polls, 30), LONGEST_POLL)
        self._polls += 1
        return longest * (1 + self._chance()) / 2
