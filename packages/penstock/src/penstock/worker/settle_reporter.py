"""Reports the results of steps to metrics and the log."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import RedisLog
from penstock.wire.errors import RedisTrouble
from penstock.worker.delivery import Buried, Delivery, Step
from penstock.worker.metrics import WorkerMetrics

MOST_NAMED = 10


class SettleReporter:
    """The observer of a worker's settler."""

    def __init__(self, metrics: WorkerMetrics, log: Log, redis_log: RedisLog) -> None:
        self._metrics = metrics
        self._log = log
        self._redis_log = redis_log

    def took(self, steps: Sequence[Step | Delivery], seconds: float) -> None:
        """Report steps of one kind that Redis accepted."""
        self._metrics.took(steps)
        self._metrics.settling.observe(seconds)
        self._redis_log.works(Activity.SETTLING)

    def buried(self, buried: Buried, dead_letter: str | None) -> None:
        """Log a dead letter with its id; None if Redis's reply was lost."""
        self._log.with_subject(buried.subject).event(
            Event.MESSAGE_DEAD,
            reason=buried.reason,
            error=buried.cause,
            at=buried.at or None,
            entry=buried.delivery.id.decode(),
            dead_letter=dead_letter,
        )

    def not_buried(self, buried: Buried) -> None:
        """Count and log a message that could not be buried."""
        self._metrics.not_buried.add()
        self._log.with_subject(buried.subject).event(
            Event.MESSAGE_NOT_BURIED,
            reason=buried.reason,
            error=buried.cause,
            at=buried.at or None,
            entry=buried.delivery.id.decode(),
        )

    def fenced(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        """Report steps for messages that already belonged to other consumers."""
        self._metrics.fenced(name, len(steps))
        self._log.event(Event.OUTCOMES_FENCED, step=name, count=len(steps), entries=_entries(steps))

    def gone(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        """Report steps for messages that were no longer pending."""
        self._metrics.gone(name, len(steps))
        self._log.event(Event.OUTCOMES_GONE, step=name, count=len(steps), entries=_entries(steps))

    def refused(self, name: str, error: RedisTrouble, unsettled: int) -> None:
        """Report an error; the steps are kept and sent again."""
        self._metrics.trouble(error)
        self._metrics.unsettled.set(unsettled)
        self._redis_log.trouble(Activity.SETTLING, error, step=name)


def _entries(steps: Sequence[Step | Delivery]) -> str:
    ids = [step.id if isinstance(step, Delivery) else step.delivery.id for step in steps[:MOST_NAMED]]
    return " ".join(step.decode() for step in ids) + (" ..." if len(steps) > MOST_NAMED else "")
