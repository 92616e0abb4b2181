"""The circuit breaker of sends: after repeated failures of Redis, sends fail at once.

```
            enough failures in a row within a time               cool-down is over: one trial
   closed ------------------------------------------> open ------------------------------------> half-open
     ^                                                 ^                                             |
     |                                                 +------------------- the trial failed --------+
     +---------------------------------------------------------------------- the trial succeeded ----+
```

The first cool-down is short, so that a restart of Redis costs little; each failed trial doubles it, up to a limit. If a
trial reports no result for a while, another one follows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The state of the breaker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"


@dataclass(frozen=True, slots=True)
class Limits:
    """When the breaker opens and for how long, in seconds. One send with the default of 3 attempts cannot open it."""

    failures: int = 5
    within: float = 10.0
    first: float = 1.0
    """The first cool-down."""
    cool_down: float = 30.0
    """The longest cool-down."""
    trial: float = 5.0


class Breaker:
    """The breaker of one connection. Times are monotonic and passed in."""

    def __init__(self, limits: Limits) -> None:
        """Start closed."""
        self._limits = limits
        self._failed: deque[float] = deque(maxlen=limits.failures)
        self._since = 0.0
        self._cool_down = 0.0
        self.state = State.CLOSED
        self.opened = 0
        """How often it has opened."""

    @property
    def is_open(self) -> bool:
        """Whether it is open or half-open."""
        return self.state is not State.CLOSED

    def refuses(self, now: float) -> bool:
        """Whether to fail at once. Does not change the state."""
        match self.state:
            case State.CLOSED:
                return False
            case State.OPEN:
                return now - self._since < self._cool_down
            case State.HALF_OPEN:
                return now - self._since < self._limits.trial

    def allows(self, now: float) -> bool:
        """Whether to call Redis now. If so, the caller reports the result."""
        if self.refuses(now):
            return False
        if self.state is not State.CLOSED:
            self.state, self._since = State.HALF_OPEN, now
        return True

    def succeeded(self) -> None:
        """Record an answer of Redis."""
        self._failed.clear()
        self.state = State.CLOSED

    def failed(self, now: float) -> None:
        """Record a failure of Redis."""
        self._failed.append(now)
        enough = len(self._failed) == self._limits.failures and now - self._failed[0] <= self._limits.within
        if self.state is State.HALF_OPEN or enough:
            limits = self._limits
            grown = 2 * self._cool_down if self.is_open else limits.first
            self._cool_down = min(grown, limits.cool_down)
            self._failed.clear()
            self.state, self._since = State.OPEN, now
            self.opened += 1
