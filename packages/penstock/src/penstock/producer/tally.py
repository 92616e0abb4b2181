"""What a producer counts."""

from __future__ import annotations

from penstock.observe.metrics import Metrics
from penstock.observe.values import Counter
from penstock.producer.outcomes import Duplicate, Failed, Outcome, Sent
from penstock_spec.kinds.pipeline.metrics import sending


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
