"""Reports to metrics, log and readiness when Redis fails a worker and when it works again."""

from __future__ import annotations

from penstock.maintenance.replies import without_group
from penstock.observe.events import Activity
from penstock.observe.readiness import NotReady, Readiness
from penstock.observe.redis_log import RedisLog
from penstock.wire.errors import RedisTrouble, Refused
from penstock.worker.metrics import WorkerMetrics


class RedisReporter:
    """The observer of the intake; the rest of the worker reports through it too."""

    def __init__(self, metrics: WorkerMetrics, redis_log: RedisLog, readiness: Readiness) -> None:
        self._metrics = metrics
        self._redis_log = redis_log
        self._readiness = readiness

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Report an error of Redis."""
        self._metrics.trouble(error)
        self._redis_log.trouble(activity, error)
        # A short outage does not make the pod unready; a refusal may last until a person acts.
        if activity is Activity.READING and isinstance(error, Refused) and not without_group(error):
            self._readiness.hold(NotReady.REFUSED)

    def works(self, activity: Activity) -> None:
        """Report that an activity works again."""
        self._redis_log.works(activity)
        if activity is Activity.READING:
            self._readiness.release(NotReady.REFUSED)
