"""Hands back ended runs to Redis, in batches and on their own connection.

While the breaker is not open, a run that Redis did not accept is retried once per cycle, a few times; then it is kept
until the next refresh, or until the breaker becomes half open. It is lost only when the pod ends, and then another pod
makes the job due again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from penstock.clocks import Clocks
from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import RedisLog
from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.scheduler.job_steps import MOST, EndedRun, JobAnswer, JobSteps
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.wire.errors import RedisTrouble

LINGER = 0.01
"""Seconds to wait for other runs to end, so that they are handed back together."""
AGAIN = 0.2
"""Seconds between two attempts while the pod drains."""

STEP_LABELS = {"complete": "complete", "give_up": "complete", "release": "release"}
"""The label of each step in metrics."""
NO_RUN = EndedRun("", 0, 0, None)
"""No job has an empty name."""

log = Log(logging.getLogger(__name__))


@dataclass(slots=True)
class UnsettledRun:
    """An ended run that was not handed back yet."""

    returned: EndedRun
    ended: float
    """Monotonic time."""
    tries: int = 0
    was_refused: bool = False
    """Whether an attempt failed, also before the attempts were counted anew."""


class RunSettler:
    """Collects ended runs, and hands them back in batches."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self, steps: JobSteps, breaker: BatchBreaker, tries: int, batch: int, metrics: SchedulerMetrics, clocks: Clocks
    ) -> None:
        """`tries` are the attempts after the first."""
        self._steps = steps
        self._breaker = breaker
        self._tries = tries
        self._batch = min(batch, MOST)
        self._metrics = metrics
        self._monotonic = clocks.monotonic
        self._redis_log = RedisLog(log, clocks.monotonic)
        self._queue: deque[UnsettledRun] = deque()
        self._recovering: deque[UnsettledRun] = deque()
        self._exhausted: list[UnsettledRun] = []
        self._wake = asyncio.Event()
        self._in_progress: list[UnsettledRun] = []
        self.settled: Callable[[Iterable[str]], object] = lambda _: None
        """Called with the names of jobs that were handed back."""

    def put(self, returned: EndedRun) -> None:
        """Add a run that has just ended."""
        self._queue.append(UnsettledRun(returned, self._monotonic()))
        self._wake.set()

    @property
    def held(self) -> set[tuple[str, int]]:
        """Jobs of unsettled runs, each with its working score: another score is another run."""
        queues = (self._queue, self._recovering, self._exhausted, self._in_progress)
        return {(item.returned.name, item.returned.score) for queue in queues for item in queue}

    @property
    def unsettled(self) -> int:
        """The number of ended runs that were not handed back yet."""
        return len(self._queue) + len(self._in_progress) + len(self._recovering) + len(self._exhausted)

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(LINGER)
            self._wake.clear()
            while self._queue:
                await self._settle(self._batch_of(self._queue))

    async def recover(self) -> None:
        """Retry once each run that Redis did not accept. While the breaker is half open, this is its probe."""
        if self._breaker.state(self._monotonic()) is BreakerState.HALF_OPEN:
            if not self.unsettled:
                await self._probe()
            self.retry_exhausted()
        for _ in range(-(-len(self._recovering) // self._batch)):
            if self._breaker.state(self._monotonic()) is BreakerState.OPEN:
                return
            await self._settle(self._batch_of(self._recovering))

    def retry_exhausted(self) -> None:
        """Retry runs whose attempts were used up."""
        if self._breaker.state(self._monotonic()) is not BreakerState.OPEN:
            for item in self._exhausted:
                item.tries = 0
            self._recovering.extend(self._exhausted)
            self._exhausted.clear()
            self._metrics.recovering.set(len(self._recovering))

    async def _probe(self) -> None:
        """Test a half-open breaker although no run ended: hand back a job that does not exist."""
        sent = self._monotonic()
        try:
            await self._steps.release((NO_RUN,))
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), sent, error)
            self._metrics.trouble(error)
        else:
            self._breaker.succeeded(sent)

    async def empty(self) -> None:
        """Settle until nothing is left, even if the breaker is open: the pod drains, and the caller limits the time."""
        while self.unsettled:
            for queue in (self._queue, self._recovering):
                while queue and await self._settle(self._batch_of(queue), ignore_breaker=True):
                    pass
            self._recovering.extend(self._exhausted)
            self._exhausted.clear()
            if self.unsettled:
                await asyncio.sleep(AGAIN)

    def _batch_of(self, queue: deque[UnsettledRun]) -> list[UnsettledRun]:
        return [queue.popleft() for _ in range(min(self._batch, len(queue)))]

    async def _settle(self, items: list[UnsettledRun], *, ignore_breaker: bool = False) -> bool:
        if not ignore_breaker and not self._breaker.admits(self._monotonic()):
            self._recovering.extend(items)
            self._metrics.recovering.set(len(self._recovering))
            return False
        self._in_progress += items
        succeeded = True
        by_step: dict[str, list[UnsettledRun]] = {}
        for item in items:
            by_step.setdefault(_step(item.returned), []).append(item)
        left = list(by_step.items())
        try:
            while left:
                succeeded = await self._hand_back(*left[0]) and succeeded
                del left[0]
        except asyncio.CancelledError:
            # The call in progress may have succeeded, and can be repeated; later calls were not sent.
            self._recovering.extend(one for _, some in left for one in some)
            raise
        finally:
            ended = set(map(id, items))
            self._in_progress = [one for one in self._in_progress if id(one) not in ended]
            self._metrics.recovering.set(len(self._recovering))
        return succeeded

    async def _hand_back(self, step: str, items: Sequence[UnsettledRun]) -> bool:
        returned, sent = [one.returned for one in items], self._monotonic()
        try:
            hand_back = {
                "complete": self._steps.complete,
                "give_up": self._steps.give_up,
                "release": self._steps.release,
            }
            answers = await hand_back[step](returned)
            answered = list(zip(items, answers, strict=True))
        except Exception as error:  # noqa: BLE001 - unexpected replies as well: an ended run must not be lost
            self._breaker.failed(self._monotonic(), sent, error)
            if isinstance(error, RedisTrouble):
                self._metrics.trouble(error)
            self._redis_log.trouble(Activity.HANDING_BACK_JOBS, error)
            self._keep(items, error)
            return False
        self._breaker.succeeded(sent)
        self._redis_log.works(Activity.HANDING_BACK_JOBS)
        now = self._monotonic()
        self.settled(item.returned.name for item in items)
        for item, answer in answered:
            self._metrics.settling.observe(now - item.ended)
            if item.was_refused:
                self._metrics.recoveries["true"].add()
            if answer is JobAnswer.NOT_HELD and item.was_refused and step == "release":
                continue  # probably the previous attempt succeeded, and its reply was lost
            if answer in (JobAnswer.ANOTHERS, JobAnswer.NOT_HELD):
                self._metrics.fenced[STEP_LABELS[step]].add()
                log.event(Event.JOB_FENCED, job=item.returned.name, step=step)
            elif answer is JobAnswer.UNKNOWN:
                self._metrics.gone[STEP_LABELS[step]].add()
            elif step == "give_up":
                log.event(Event.JOB_GIVEN_UP, job=item.returned.name, in_a_row=item.returned.failures)
        return True

    def _keep(self, items: Sequence[UnsettledRun], error: Exception) -> None:
        exhausted = [item for item in items if item.tries >= self._tries]
        for item in items:
            if item.was_refused:
                self._metrics.recoveries["false"].add()
            item.tries, item.was_refused = item.tries + 1, True
        self._recovering.extend(item for item in items if item.tries <= self._tries)
        self._exhausted.extend(exhausted)
        self._metrics.exhausted.add(len(exhausted))
        if exhausted:
            log.event(
                Event.JOBS_NOT_HANDED_BACK,
                jobs=len(exhausted),
                first=exhausted[0].returned.name,
                error=str(error),
            )


def _step(run: EndedRun) -> str:
    if run.record is None:
        return "release"
    return "give_up" if run.failures else "complete"
