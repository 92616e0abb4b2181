"""Keeps an eye on Redis for the outbox: feeds the breaker, and says when trouble begins and ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.producer.breaker import Breaker
from penstock.producer.errors import BreakerOpen
from penstock.producer.tally import Tally
from penstock.wire.errors import RedisTrouble


class Watch:
    """A breaker with a clock, a log and metrics."""

    def __init__(self, pipeline: str, breaker: Breaker, tally: Tally, clock: Callable[[], float]) -> None:
        """The clock is monotonic."""
        self._pipeline = pipeline
        self._breaker = breaker
        self._tally = tally
        self._clock = clock
        self._log = Log(logging.getLogger("penstock.producer"))
        self._trouble: RedisTrouble | None = None
        self._opened = 0

    def refuses(self) -> bool:
        """Whether sends fail at once."""
        return self._breaker.refuses(self._clock())

    def admits(self) -> bool:
        """Whether Redis is asked now."""
        return self._breaker.admits(self._clock())

    def saw(self, trouble: RedisTrouble | None) -> None:
        """What came of a call: trouble of a kind that passes, or none."""
        if trouble is None:
            self._breaker.succeeded()
            if self._trouble is not None:
                self._log.event(Event.REDIS_REACHABLE, activity=Activity.SENDING, pipeline=self._pipeline)
        else:
            self._breaker.failed(self._clock())
            if self._trouble is None:
                log_trouble(self._log, Activity.SENDING, trouble, pipeline=self._pipeline)
        self._trouble = trouble
        if self._breaker.opened != self._opened:
            self._opened = self._breaker.opened
            self._log.event(Event.BREAKER_OPENED, pipeline=self._pipeline, error=str(trouble))
        self._tally.breaker(opened=self._opened, is_open=self._breaker.is_open)

    def leave(self) -> None:
        """Nothing is sent any more, so nothing fails."""
        self._tally.breaker(opened=self._opened, is_open=False)

    def broken(self) -> BreakerOpen:
        """What senders are told while it is open."""
        error = BreakerOpen(
            f"Redis failed too often, so sends fail at once for a while; the last time: {self._trouble}"
        )
        error.__cause__ = self._trouble
        return error
