"""Reports what a worker's maintenance did, and offers the intake what can be claimed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from penstock.keys import PipelineKeys
from penstock.maintenance.group import GroupState
from penstock.maintenance.promote import PromoteResult
from penstock.maintenance.takeover import TakeoverResult
from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.wire.errors import RedisTrouble
from penstock.worker.intake import Intake
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.redis_reporter import RedisReporter


class MaintenanceReporter:
    """The observer of a worker's maintenance."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        redis: RedisReporter,
        metrics: WorkerMetrics,
        log: Log,
        keys: PipelineKeys,
        intake: Intake,
        after_offer: Callable[[], Awaitable[None]],
    ) -> None:
        """`after_offer` is called after each promotion, once the intake knows what can be claimed."""
        self._redis = redis
        self._metrics = metrics
        self._log = log
        self._keys = keys
        self._intake = intake
        self._after_offer = after_offer

    async def promoted(self, result: PromoteResult) -> None:
        """Report promoted messages, and claim available ones."""
        self._metrics.promoted(result)
        self._intake.was_delivered(result.delivered)
        if result.lost:
            self._log.event(Event.MESSAGES_LOST, count=result.lost, state="waiting", stream=self._keys.stream)
        await self._intake.offer(ready=result.ready, suspect=result.suspect)
        await self._after_offer()
        if result.refused:
            self.trouble(Activity.PROMOTING, result.refused)
        else:
            self._redis.works(Activity.PROMOTING)

    def taken_over(self, result: TakeoverResult) -> None:
        """Report messages that were taken over."""
        self._redis.works(Activity.TAKING_OVER)
        self._metrics.taken_over(result)
        if result.suspects or result.removed:
            self._log.event(
                Event.MESSAGES_TAKEN_OVER, messages=result.suspects, consumers=result.removed, lost=result.lost
            )

    def brought_back(self, count: int) -> None:
        """Report entries of a group that vanished or was set back."""
        self._redis.works(Activity.BRINGING_BACK)
        if count:
            self._log.event(Event.MESSAGES_RECONCILED, brought_back=count)

    def ensured(self, how: GroupState) -> None:
        """Report that the group exists."""
        self._redis.works(Activity.CREATING_GROUP)
        if how == "again":
            self._metrics.group_recreated.add()
            self._log.event(Event.GROUP_RECREATED, stream=self._keys.stream, group=self._keys.group)

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Report an error of Redis."""
        self._redis.trouble(activity, error)
