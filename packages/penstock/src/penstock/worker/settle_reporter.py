"""What became of outcomes, for metrics and the log."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.observe.complaints import Complaints
from penstock.observe.logs import Log
from penstock.wire.errors import RedisTrouble
from penstock.worker.delivery import Buried, Delivery, Step
from penstock.worker.metrics import WorkerMetrics

SETTLING = "bringing outcomes to Redis"
MOST_NAMED = 10


class SettleReporter:
    """The settler's ledger."""

    def __init__(self, metrics: WorkerMetrics, log: Log, complaints: Complaints) -> None:
        self._metrics = metrics
        self._log = log
        self._complaints = complaints

    def took(self, outcomes: Sequence[Step | Delivery], seconds: float) -> None:
        """Redis took them."""
        self._metrics.took(outcomes)
        self._metrics.settling.observe(seconds)
        self._complaints.over(SETTLING)
        if isinstance(outcomes[0], Buried):
            for one in outcomes:
                if isinstance(one, Buried):
                    entry, attempt = one.delivery.id.decode(), one.delivery.attempt
                    self._log.error("a message is dead", entry=entry, reason=one.reason, attempts=attempt)

    def fenced(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """They were another's by then."""
        self._metrics.fenced(step, len(outcomes))
        told = "outcomes changed nothing: the messages are another worker's by now"
        self._log.warning(told, step=step, count=len(outcomes), entries=_entries(outcomes))

    def gone(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """They were pending nowhere by then."""
        self._metrics.gone(step, len(outcomes))
        told = "outcomes changed nothing: the messages are pending nowhere"
        self._log.warning(told, step=step, count=len(outcomes), entries=_entries(outcomes))

    def refused(self, step: str, error: RedisTrouble, unsettled: int) -> None:
        """They are kept, and come again."""
        self._metrics.trouble(error)
        self._metrics.unsettled.set(unsettled)
        self._complaints.trouble(SETTLING, error, step=step)


def _entries(outcomes: Sequence[Step | Delivery]) -> str:
    named = [one.id if isinstance(one, Delivery) else one.delivery.id for one in outcomes[:MOST_NAMED]]
    return " ".join(one.decode() for one in named) + (" ..." if len(outcomes) > MOST_NAMED else "")
