"""Logs trouble with Redis: when it starts, at most every half minute while it lasts, and when it ends.

Each activity is logged separately: if one works, others may still fail.
"""

from __future__ import annotations

from collections.abc import Callable

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.throttle import Throttle
from penstock.wire.errors import RedisTrouble, Refused


class RedisLog:
    """Logs the trouble of each activity."""

    def __init__(self, log: Log, clock: Callable[[], float]) -> None:
        """`clock` is monotonic, in seconds."""
        self._log = log
        self._throttle = Throttle(clock)

    def trouble(self, activity: Activity, error: Exception, **fields: object) -> None:
        """Redis failed this activity."""
        if self._throttle.admits(activity):
            log_trouble(self._log, activity, error, **fields)

    def works(self, activity: Activity) -> None:
        """It succeeded."""
        if self._throttle.ends(activity):
            self._log.event(Event.REDIS_REACHABLE, activity=activity)


def log_trouble(log: Log, activity: Activity, error: Exception, **fields: object) -> None:
    """Log one failure, as the event of its kind."""
    if isinstance(error, Refused):
        log.event(Event.REDIS_REFUSED, activity=activity, error=str(error), **fields)
    elif isinstance(error, RedisTrouble):
        log.event(Event.REDIS_UNREACHABLE, activity=activity, error=str(error), **fields)
    else:
        log.event(Event.REDIS_UNEXPECTED_REPLY, error, activity=activity, **fields)
