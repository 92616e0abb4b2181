"""A circuit breaker of a scheduler: stops calls to Redis for a while after too many failures.

```
            enough failures within a time        the cool-down is over, or Redis answers again: calls are allowed
   closed -------------------------------> open -------------------------------------------> half open
     ^                                      ^                                                   |   |
     |                                      +------------------- a call fails ------------------+   |
     +--------------------- a call succeeded, and none failed for a while --------------------------+
```

A producer's breaker tries one message; here each call is a batch, so the breaker stays half open for a while.
Time alone never closes a breaker: without a call that succeeded, it would close while Redis refuses every call.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum

from penstock.wire.errors import RedisTrouble, Refused
from penstock_spec.kinds.scheduler.work import Breakers

UNAVAILABLE = frozenset({"LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN"})
"""Errors with which Redis answers every command for a while, so that an answer to a probe means that they are over."""


class BreakerState(IntEnum):
    """The values of the metric."""

    CLOSED = 0
    HALF_OPEN = 1
    OPEN = 2


class BatchBreaker:
    """Works with any clock that never goes back."""

    def __init__(self, terms: Breakers) -> None:
        """Closed at first."""
        self._terms = terms
        self._failed: deque[float] = deque(maxlen=terms.failures)
        self._since = 0.0
        self._state = BreakerState.CLOSED
        self._proven = False
        """Whether a call has succeeded since the breaker became half open."""
        self._refused = False
        """Whether Redis answered the last failed call: then another answer does not mean that it works."""
        self.trips = 0
        self.recoveries = 0
        self.blocked = 0

    def state(self, now: float) -> BreakerState:
        """The state at this time."""
        if self._state is BreakerState.OPEN and now - self._since >= self._terms.cooldown.seconds:
            self._half_open(now)
        elif (
            self._state is BreakerState.HALF_OPEN
            and self._proven
            and now - self._since >= self._terms.half_open.seconds
        ):
            self._state, self._since = BreakerState.CLOSED, now
            self.recoveries += 1
        return self._state

    def _half_open(self, now: float) -> None:
        self._state, self._since, self._proven = BreakerState.HALF_OPEN, now, False

    def wants_probe(self, now: float) -> bool:
        """Whether an answer from Redis would end the cool-down: the breaker is open because Redis did not answer."""
        return self.state(now) is BreakerState.OPEN and not self._refused

    def answered(self, now: float) -> None:
        """Redis answered a probe, so calls are tried again before the cool-down is over."""
        if self.wants_probe(now):
            self._half_open(now)

    def succeeded(self, sent: float) -> None:
        """A call succeeded. One that was sent before the breaker became half open proves nothing."""
        if self._state is BreakerState.HALF_OPEN and sent >= self._since:
            self._proven = True

    def admits(self, now: float) -> bool:
        """Whether to call Redis now; counts each refusal."""
        if self.state(now) is not BreakerState.OPEN:
            return True
        self.blocked += 1
        return False

    def failed(self, now: float, sent: float, error: BaseException) -> None:
        """Count a failed call, and one more failure for each second that it took.

        Otherwise a Redis that hangs would never open the breaker: too few slow calls fit into the time.
        """
        if not self._terms.enabled:
            return
        self._failed.extend([now] * min(self._terms.failures, 1 + int(now - sent)))
        enough = len(self._failed) == self._terms.failures and now - self._failed[0] <= self._terms.within.seconds
        # A call sent before the breaker closed was the trial, however late it fails, even if `state` was never read.
        state = self._state if self._state is BreakerState.HALF_OPEN else self.state(now)
        if state is BreakerState.HALF_OPEN or (state is BreakerState.CLOSED and (enough or sent < self._since)):
            self._failed.clear()
            self._state, self._since = BreakerState.OPEN, now
            self._refused = _answered(error)
            self.trips += 1


def _answered(error: BaseException) -> bool:
    """Whether Redis answered the call, with an error or with a reply that nobody expects."""
    if isinstance(error, Refused):
        return error.code not in UNAVAILABLE
    return not isinstance(error, RedisTrouble)
