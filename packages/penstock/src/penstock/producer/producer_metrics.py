"""Metrics of a producer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from penstock import __version__
from penstock.observe.metrics import Metrics
from penstock.observe.values import Counter
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link
from penstock_spec.kinds.pipeline.metrics import process, sending


class ProducerMetrics:
    """The producer's part of the metric contract. Producers of one pipeline in one process share the counters."""

    def __init__(self, metrics: Metrics) -> None:
        """Create all metrics, at 0."""

        def sent(outcome: str) -> Counter:
            return metrics.counter(sending.SENT, outcome)

        self._new, self._delayed, self._duplicate = sent("new"), sent("delayed"), sent("duplicate")
        self._errors = {
            label: sent(label) for label in ("rejected", "invalid", "refused", "absent", "withheld", "unknown")
        }
        self._dropped = metrics.counter(sending.DROPPED)
        self._retries = metrics.counter(sending.SEND_RETRIES)
        self._opened = metrics.counter(sending.BREAKER_OPENED)
        self._open = metrics.gauge(sending.BREAKER_OPEN)
        self._waiting = metrics.gauge(sending.SEND_WAITING)
        self._was_waiting = 0
        self._was_open = False
        self._had_opened = 0
        self.took = metrics.histogram(sending.SEND_SECONDS).observe
        """Observes the seconds of a send."""
        self.answered = metrics.histogram(process.REDIS_SECONDS).observe
        """Observes the seconds of a call to Redis."""
        self._troubles = {
            label: metrics.counter(process.REDIS_ERRORS, label) for label in ("absent", "unanswered", "refused")
        }
        self._connections = metrics.gauge(process.REDIS_CONNECTIONS)
        self._connects = metrics.counter(process.REDIS_CONNECTS)
        self._link: Link | None = None
        self._was_connected = False
        self._had_connected = 0
        metrics.gauge(process.INFO, "producer", __version__, "").set(1)

    def follow(self, link: Link) -> None:
        """Set the connection whose state the metrics show."""
        self._link = link

    @contextmanager
    def redis_call(self) -> Iterator[None]:
        """Wrap a call to Redis: count errors and connections."""
        try:
            yield
        except RedisTrouble as error:
            self.trouble(error)
            raise
        finally:
            self.update_connections()

    def after_fork(self) -> None:
        """Reset what a forked child inherited: nothing waits, no breaker is open, no connection is open."""
        self.waiting(0)
        self.breaker(opened=self._had_opened, is_open=False)
        self._connections.add(-int(self._was_connected))
        self._was_connected, self._link = False, None

    def trouble(self, error: RedisTrouble) -> None:
        """Count an error of Redis."""
        self._troubles[error.kind].add()

    def update_connections(self) -> None:
        """Update the connection metrics. Producers that share counters add only their own changes."""
        if self._link is None:
            return
        connected, times = self._link.is_connected, self._link.connections
        self._connections.add(connected - self._was_connected)
        self._connects.add(times - self._had_connected)
        self._was_connected, self._had_connected = connected, times

    def count(self, outcome: Outcome) -> None:
        """Count an outcome."""
        match outcome:
            case Sent():
                (self._new if outcome.due is None else self._delayed).add()
                if outcome.dropped:
                    self._dropped.add(outcome.dropped)
            case Duplicate():
                self._duplicate.add()
            case Failed():
                self._errors[outcome.error.outcome].add()
            case _:
                self._errors[outcome.outcome].add()

    def retries(self, messages: int) -> None:
        """Count messages that are sent again."""
        if messages:
            self._retries.add(messages)

    def waiting(self, messages: int) -> None:
        """Set how many messages wait for room."""
        self._waiting.add(messages - self._was_waiting)
        self._was_waiting = messages

    def breaker(self, *, opened: int, is_open: bool) -> None:
        """Set the state of the circuit breaker, and how often it opened."""
        self._opened.add(opened - self._had_opened)
        self._open.add(is_open - self._was_open)
        self._had_opened, self._was_open = opened, is_open
