"""Monitors Redis for the sender: feeds the circuit breaker, and logs when trouble begins and ends."""

from __future__ import annotations

import logging
from collections.abc import Callable

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.producer.breaker import Breaker
from penstock.producer.errors import BreakerOpen
from penstock.producer.producer_metrics import ProducerMetrics
from penstock.wire.errors import RedisTrouble


class RedisMonitor:
    """A breaker with a clock, a log and metrics."""

    def __init__(self, pipeline: str, breaker: Breaker, metrics: ProducerMetrics, clock: Callable[[], float]) -> None:
        """`clock` is monotonic."""
        self._pipeline = pipeline
        self._breaker = breaker
        self._metrics = metrics
        self._clock = clock
        self._log = Log(logging.getLogger("penstock.producer"))
        self._trouble: RedisTrouble | None = None
        self._opened = 0

    @property
    def is_calm(self) -> bool:
        """Whether the breaker is closed."""
        return not self._breaker.is_open

    def refuses(self) -> bool:
        """Whether sends fail at once."""
        return self._breaker.refuses(self._clock())

    def allows(self) -> bool:
        """Whether to call Redis now."""
        return self._breaker.allows(self._clock())

    def record(self, trouble: RedisTrouble | None) -> None:
        """Record a call: a transient error, or none."""
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
        self._metrics.breaker(opened=self._opened, is_open=self._breaker.is_open)

    def close(self) -> None:
        """Reset the metrics at the end."""
        self._metrics.breaker(opened=self._opened, is_open=False)

    def breaker_error(self) -> BreakerOpen:
        """Return the error for sends while the breaker is open."""
        error = BreakerOpen(
            f"Redis failed too often, so sends fail at once for a while; the last error: {self._trouble}"
        )
        error.__cause__ = self._trouble
        return error
