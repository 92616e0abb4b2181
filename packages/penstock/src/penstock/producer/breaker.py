"""The circuit breaker: when Redis has failed again and again, sends fail at once instead of waiting for it, each anew.

```
            enough failures in a row, within a time                cool-down over: one trial
   closed ------------------------------------------> open ------------------------------------> half-open
     ^                                                 ^                                             |
     |                                                 +------------------- the trial failed --------+
     +---------------------------------------------------------------------- the trial succeeded ----+
```

A trial that says nothing for a while is followed by another.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Whether Redis is asked at all."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True, slots=True)
class Limits:
    """When it opens and for how long, in seconds. One send with its default of 3 attempts cannot open it."""

    failures: int = 5
    within: float = 10.0
    cool_down: float = 30.0
    trial: float = 5.0


class Breaker:
    """One for each connection. Times are those of any clock that does not go back; they are handed in."""

    def __init__(self, limits: Limits) -> None:
        """Closed."""
        self._limits = limits
        self._failed: deque[float] = deque(maxlen=limits.failures)
        self._since = 0.0
        self.state = State.CLOSED
        self.opened = 0
        """How often it has opened."""

    @property
    def is_open(self) -> bool:
        """Whether Redis was given up for the time being; it is until a trial has succeeded."""
        return self.state is not State.CLOSED

    def refuses(self, now: float) -> bool:
        """Whether to fail at once. Asking changes nothing."""
        match self.state:
            case State.CLOSED:
                return False
            case State.OPEN:
                return now - self._since < self._limits.cool_down
            case State.HALF_OPEN:
                return now - self._since < self._limits.trial

    def admits(self, now: float) -> bool:
        """Whether Redis is asked now; whoever is told so tells what came of it."""
        if self.refuses(now):
            return False
        if self.state is not State.CLOSED:
            self.state, self._since = State.HALF_OPEN, now
        return True

    def succeeded(self) -> None:
        """Redis answered."""
        self._failed.clear()
        self.state = State.CLOSED

    def failed(self, now: float) -> None:
        """It did not, or it is in no state to work."""
        self._failed.append(now)
        enough = len(self._failed) == self._limits.failures and now - self._failed[0] <= self._limits.within
        if self.state is State.HALF_OPEN or enough:
            self._failed.clear()
            self.state, self._since = State.OPEN, now
            self.opened += 1
