"""Reports what became of steps, to metrics and the log."""

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

    def took(self, outcomes: Sequence[Step | Delivery], seconds: float) -> None:
        """Report steps of one kind that Redis took."""
        self._metrics.took(outcomes)
        self._metrics.settling.observe(seconds)
        self._redis_log.works(Activity.SETTLING)

    def buried(self, one: Buried, dead_letter: str | None) -> None:
        """Log a dead letter under its id; None if the answer was lost."""
        self._log.about(one.about).event(
            Event.MESSAGE_DEAD,
            reason=one.reason,
            error=one.cause,
            at=one.at or None,
            entry=one.delivery.id.decode(),
            dead_letter=dead_letter,
        )

    def fenced(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """Report steps for messages that belonged to other consumers by then."""
        self._metrics.fenced(step, len(outcomes))
        self._log.event(Event.OUTCOMES_FENCED, step=step, count=len(outcomes), entries=_entries(outcomes))

    def gone(self, step: str, outcomes: Sequence[Step | Delivery]) -> None:
        """Report steps for messages that were not pending by then."""
        self._metrics.gone(step, len(outcomes))
        self._log.event(Event.OUTCOMES_GONE, step=step, count=len(outcomes), entries=_entries(outcomes))

    def refused(self, step: str, error: RedisTrouble, unsettled: int) -> None:
        """Report an error; the steps are kept and sent again."""
        self._metrics.trouble(error)
        self._metrics.unsettled.set(unsettled)
        self._redis_log.trouble(Activity.SETTLING, error, step=step)


def _entries(outcomes: Sequence[Step | Delivery]) -> str:
    named = [one.id if isinstance(one, Delivery) else one.delivery.id for one in outcomes[:MOST_NAMED]]
    return " ".join(one.decode() for one in named) + (" ..." if len(outcomes) > MOST_NAMED else "")
