"""What a producer counts."""

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


class Tally:
    """The producer's part of the metric contract. Producers of one pipeline in one process count together."""

    def __init__(self, metrics: Metrics) -> None:
        """All are there from the start, at 0."""

        def sent(outcome: str) -> Counter:
            return metrics.counter(sending.SENT, outcome)

        self._new, self._delayed, self._duplicate = sent("new"), sent("delayed"), sent("duplicate")
        self._errors = {one: sent(one) for one in ("rejected", "invalid", "refused", "absent", "withheld", "unknown")}
        self._dropped = metrics.counter(sending.DROPPED)
        self._retries = metrics.counter(sending.SEND_RETRIES)
        self._opened = metrics.counter(sending.BREAKER_OPENED)
        self._open = metrics.gauge(sending.BREAKER_OPEN)
        self._waiting = metrics.gauge(sending.SEND_WAITING)
        self._was_waiting = 0
        self._was_open = False
        self._had_opened = 0
        self.took = metrics.histogram(sending.SEND_SECONDS).observe
        """How long a send took, in seconds."""
        self.answered = metrics.histogram(process.REDIS_SECONDS).observe
        """How long Redis took, in seconds."""
        self._troubles = {
            word: metrics.counter(process.REDIS_ERRORS, word) for word in ("absent", "unanswered", "refused")
        }
        self._connections = metrics.gauge(process.REDIS_CONNECTIONS)
        self._connects = metrics.counter(process.REDIS_CONNECTS)
        self._link: Link | None = None
        self._was_connected = False
        self._had_connected = 0
        metrics.gauge(process.INFO, "producer", __version__, "").set(1)

    def watch(self, link: Link) -> None:
        """The connection that these sends go through."""
        self._link = link

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Around each call to Redis: what became of the connection, and whether there was an answer."""
        try:
            yield
        except RedisTrouble as error:
            self.trouble(error)
            raise
        finally:
            self.look()

    def leave_behind(self) -> None:
        """This process is a child: here nothing waits, no breaker is open, and no connection is there."""
        self.waiting(0)
        self.breaker(opened=self._had_opened, is_open=False)
        self._connections.add(-int(self._was_connected))
        self._was_connected, self._link = False, None

    def trouble(self, error: RedisTrouble) -> None:
        """Redis did not answer as it should."""
        self._troubles[error.kind].add()

    def look(self) -> None:
        """At the connection. Producers that count together each add their own, so only what is new counts."""
        if self._link is None:
            return
        connected, times = self._link.is_connected, self._link.connections
        self._connections.add(connected - self._was_connected)
        self._connects.add(times - self._had_connected)
        self._was_connected, self._had_connected = connected, times

    def became(self, outcome: Outcome) -> None:
        """What became of a message."""
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

    def retries(self, letters: int) -> None:
        """So many are sent once more."""
        if letters:
            self._retries.add(letters)

    def waiting(self, letters: int) -> None:
        """So many wait for room now."""
        self._waiting.add(letters - self._was_waiting)
        self._was_waiting = letters

    def breaker(self, *, opened: int, is_open: bool) -> None:
        """Whether sends fail at once, and how often that has begun."""
        self._opened.add(opened - self._had_opened)
        self._open.add(is_open - self._was_open)
        self._had_opened, self._was_open = opened, is_open
