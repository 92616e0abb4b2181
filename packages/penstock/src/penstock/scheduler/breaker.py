"""A circuit breaker of a scheduler: while Redis fails again and again it is not asked at all.

```
            enough failures within a time             cool-down over: Redis is asked again
   closed -------------------------------> open -------------------------------------------> half open
     ^                                      ^                                                   |   |
     |                                      +------------------- it fails ----------------------+   |
     +------------------------------ it did not fail for a while -----------------------------------+
```

A producer's breaker tries with one letter; here whole batches go, so it watches for a while before it trusts again.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum

from penstock_spec.kinds.scheduler.work import Breakers


class BreakerState(IntEnum):
    """As the metric has it."""

    CLOSED = 0
    HALF_OPEN = 1
    OPEN = 2


class BatchBreaker:
    """Times are those of any clock that does not go back; they are handed in."""

    def __init__(self, terms: Breakers) -> None:
        """Closed."""
        self._terms = terms
        self._failed: deque[float] = deque(maxlen=terms.failures)
        self._since = 0.0
        self._state = BreakerState.CLOSED
        self.trips = 0
        self.recoveries = 0
        self.blocked = 0

    def state(self, now: float) -> BreakerState:
        """What it is by now."""
        if self._state is BreakerState.OPEN and now - self._since >= self._terms.cooldown.seconds:
            self._state, self._since = BreakerState.HALF_OPEN, now
        elif self._state is BreakerState.HALF_OPEN and now - self._since >= self._terms.half_open.seconds:
            self._state, self._since = BreakerState.CLOSED, now
            self.recoveries += 1
        return self._state

    def admits(self, now: float) -> bool:
        """Whether Redis is asked now; a no is counted."""
        if self.state(now) is not BreakerState.OPEN:
            return True
        self.blocked += 1
        return False

    def failed(self, now: float, asked: float) -> None:
        """Redis did not answer as it should. Who waits asks nothing else, so each second of it counts once more.

        One that hangs would else never be seen: there is no time for so many calls that each wait for seconds.
        """
        if not self._terms.enabled:
            return
        self._failed.extend([now] * min(self._terms.failures, 1 + int(now - asked)))
        enough = len(self._failed) == self._terms.failures and now - self._failed[0] <= self._terms.within.seconds
        # What was asked before it closed was the trial, however late it fails, and whether anybody saw it closed.
        state = self._state if self._state is BreakerState.HALF_OPEN else self.state(now)
        if state is BreakerState.HALF_OPEN or (state is BreakerState.CLOSED and (enough or asked < self._since)):
            self._failed.clear()
            self._state, self._since = BreakerState.OPEN, now
            self.trips += 1
