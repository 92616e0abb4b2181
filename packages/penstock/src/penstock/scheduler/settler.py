"""Runs that have ended, on their way to Redis: many at a time, on a connection of its own.

What Redis does not take is held and tried again, once a cycle and a few times, while the breaker is closed; what it
still does not take is held until the next refresh. Only the pod's own end loses it, and then a leader finds the job.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
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
"""Seconds in which others end as well, so that they go together."""
AGAIN = 0.2
"""Seconds between two tries of a pod that leaves."""

log = Log(logging.getLogger(__name__))


@dataclass(slots=True)
class UnsettledRun:
    """A run that has ended."""

    returned: EndedRun
    ended: float
    """Monotonic time."""
    tries: int = 0


class RunSettler:
    """Takes them one by one, and hands them back in batches."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self, steps: JobSteps, breaker: BatchBreaker, tries: int, batch: int, tally: SchedulerMetrics, clocks: Clocks
    ) -> None:
        """`tries` are those after the first."""
        self._steps = steps
        self._breaker = breaker
        self._tries = tries
        self._batch = min(batch, MOST)
        self._tally = tally
        self._monotonic = clocks.monotonic
        self._redis_log = RedisLog(log, clocks.monotonic)
        self._queue: deque[UnsettledRun] = deque()
        self._recovering: deque[UnsettledRun] = deque()
        self._left: list[UnsettledRun] = []
        self._wake = asyncio.Event()
        self._in_hand: list[UnsettledRun] = []

    def put(self, returned: EndedRun) -> None:
        """It has ended just now."""
        self._queue.append(UnsettledRun(returned, self._monotonic()))
        self._wake.set()

    @property
    def held(self) -> set[tuple[str, int]]:
        """Their jobs, each with its working score: another score is another run."""
        held = (self._queue, self._recovering, self._left, self._in_hand)
        return {(item.returned.name, item.returned.score) for some in held for item in some}

    @property
    def unsettled(self) -> int:
        """Runs that Redis does not know to have ended."""
        return len(self._queue) + len(self._in_hand) + len(self._recovering) + len(self._left)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(LINGER)
            self._wake.clear()
            while self._queue:
                await self._settle(self._some(self._queue))

    async def recover(self) -> None:
        """Try again what Redis did not take; once for each."""
        for _ in range(-(-len(self._recovering) // self._batch)):
            if self._breaker.state(self._monotonic()) is not BreakerState.CLOSED:
                return
            await self._settle(self._some(self._recovering))

    def bring_back(self) -> None:
        """What was given up is tried anew."""
        if self._breaker.state(self._monotonic()) is BreakerState.CLOSED:
            for item in self._left:
                item.tries = 0
            self._recovering.extend(self._left)
            self._left.clear()
            self._tally.recovering.set(len(self._recovering))

    async def empty(self) -> None:
        """Until nothing is left, whatever the breaker says: the pod leaves, and bounds the time."""
        while self.unsettled:
            for held in (self._queue, self._recovering):
                while held and await self._settle(self._some(held), insists=True):
                    pass
            self._recovering.extend(self._left)
            self._left.clear()
            if self.unsettled:
                await asyncio.sleep(AGAIN)

    def _some(self, held: deque[UnsettledRun]) -> list[UnsettledRun]:
        return [held.popleft() for _ in range(min(self._batch, len(held)))]

    async def _settle(self, items: list[UnsettledRun], *, insists: bool = False) -> bool:
        if not insists and not self._breaker.admits(self._monotonic()):
            self._recovering.extend(items)
            self._tally.recovering.set(len(self._recovering))
            return False
        self._in_hand += items
        well = True
        told, untold = ([one for one in items if (one.returned.story is None) == without] for without in (False, True))
        left = [(step, some) for step, some in (("complete", told), ("release", untold)) if some]
        try:
            while left:
                well = await self._hand_back(*left[0]) and well
                del left[0]
        except asyncio.CancelledError:
            # What was under way may have happened, and may be repeated; what was to follow has not.
            self._recovering.extend(one for _, some in left for one in some)
            raise
        finally:
            self._in_hand = [one for one in self._in_hand if all(one is not item for item in items)]
            self._tally.recovering.set(len(self._recovering))
        return well

    async def _hand_back(self, step: str, items: Sequence[UnsettledRun]) -> bool:
        returned, asked = [one.returned for one in items], self._monotonic()
        try:
            told = await (self._steps.complete(returned) if step == "complete" else self._steps.release(returned))
            answered = list(zip(items, told, strict=True))
        except Exception as error:  # noqa: BLE001 - also an answer that is none of ours: what ended is never forgotten
            self._breaker.failed(self._monotonic(), asked)
            if isinstance(error, RedisTrouble):
                self._tally.trouble(error)
            self._redis_log.trouble(Activity.HANDING_BACK_JOBS, error)
            self._hold(items, error)
            return False
        self._redis_log.works(Activity.HANDING_BACK_JOBS)
        now = self._monotonic()
        for item, answer in answered:
            self._tally.settling.observe(now - item.ended)
            if item.tries:
                self._tally.recoveries["true"].add()
            if answer is JobAnswer.NOT_HELD and item.tries and step == "release":
                continue  # most likely the try before was taken, and its answer lost
            if answer in (JobAnswer.ANOTHERS, JobAnswer.NOT_HELD):
                self._tally.fenced[step].add()
                log.event(Event.JOB_FENCED, job=item.returned.name, step=step)
            elif answer is JobAnswer.UNKNOWN:
                self._tally.gone[step].add()
        return True

    def _hold(self, items: Sequence[UnsettledRun], error: Exception) -> None:
        exhausted = [item for item in items if item.tries >= self._tries]
        for item in items:
            if item.tries:
                self._tally.recoveries["false"].add()
            item.tries += 1
        self._recovering.extend(item for item in items if item.tries <= self._tries)
        self._left.extend(exhausted)
        self._tally.exhausted.add(len(exhausted))
        if exhausted:
            log.event(
                Event.JOBS_NOT_HANDED_BACK,
                jobs=len(exhausted),
                first=exhausted[0].returned.name,
                error=str(error),
            )
