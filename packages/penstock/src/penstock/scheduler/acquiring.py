"""Takes what is due while permits are free, and starts it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from penstock.clocks import Clocks
from penstock.observe.events import Activity
from penstock.observe.logs import Log
from penstock.observe.redis_log import RedisLog
from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.scheduler.due_times import plan_run
from penstock.scheduler.job_list import JobList
from penstock.scheduler.job_steps import MOST, AcquiredJob, AcquireResult, EndedRun, JobSteps, shards_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.permits import Permits
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.runs import JobRuns
from penstock.scheduler.settler import RunSettler
from penstock.wire.errors import RedisTrouble, Unanswered
from penstock_spec.kinds.scheduler.spec import Scheduler

CALLS = 80
"""In one cycle, so that the rest of it gets its turn."""
DOUBT = 60.0
"""Seconds after an acquire that was not answered in which Redis may yet do what it was asked."""
AGAIN = 5.0
"""Seconds between two looks for that."""
LOOK = 500
"""Names that one call looks at, at the most; it takes half of them or fewer."""
STRANGERS = 2000
"""Names that one call is told to pass over, at the most."""

log = Log(logging.getLogger("penstock.scheduler"))


class Acquiring:
    """One pod's."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        spec: Scheduler,
        steps: JobSteps,
        breaker: BatchBreaker,
        permits: Permits,
        runs: JobRuns,
        settler: RunSettler,
        redis_time: RedisTime,
        tally: SchedulerMetrics,
        clocks: Clocks,
        consumer_is_lost: Callable[[str], object],
    ) -> None:
        """`consumer_is_lost` is told when Redis knows our consumer no more."""
        self._batch = min(spec.work.batch, MOST)
        self._lease = spec.work.lease.seconds
        self._factor = 1 + float(spec.work.scan_factor)
        self._steps = steps
        self._breaker = breaker
        self._permits = permits
        self._runs = runs
        self._settler = settler
        self._redis_time = redis_time
        self._tally = tally
        self._monotonic = clocks.monotonic
        self._consumer_is_lost = consumer_is_lost
        self._redis_log = RedisLog(log, clocks.monotonic)
        self._skips: dict[str, None] = {}
        self.listed = JobList()
        self.knows = asyncio.Event()
        """Set with the first list: before it nobody can tell which jobs, and of which shards, are this pod's."""
        self.consumer = ""
        self.stops = False
        """Nothing more is taken; what a call under way still takes goes back."""
        self.hungry = False
        """The last cycle ended because no permits were left, or its calls were used up."""
        self.found_unknown = False
        """Something was due that is not on our list: the list may be old."""
        self._doubtful_since: float | None = None
        """An acquire was asked for and not answered then: Redis may have given jobs that nobody runs."""
        self._ask_again_at = 0.0
        self.acquired = 0
        self.capacity = 0

    def listed_anew(self, listed: JobList) -> None:
        """The list was asked for; what was not on it may be."""
        self.listed = listed
        self.knows.set()
        self._skips = {name: None for name in self._skips if name not in listed.mine}
        self.found_unknown = False

    async def cycle(self) -> None:
        """All that is due and for which there are permits."""
        self.capacity = self._permits.free if self._permits.limit else 0
        self._tally.capacity.set(self.capacity)
        self.hungry, further, began, before = False, 0, self._monotonic(), self.acquired
        for _ in range(CALLS):
            most = min(self._batch, self._permits.free)
            if self.stops or not (self.consumer and self.knows.is_set()):
                break
            if most > 0 and not self._breaker.admits(self._monotonic()):
                break
            if most <= 0:
                self.hungry = True
                break
            asked = self._monotonic()
            took = await self._take(most, further)
            if took is None:
                break
            self._start(took, self._monotonic() - asked)
            further = took.further
            if len(took.jobs) < most and not further:
                break
        else:
            self.hungry = self.acquired > before  # what only goes back would come again and again
        self._tally.cycle.observe(self._monotonic() - began)

    async def give_back_strays(self) -> None:
        """Jobs that an acquire took whose answer never came: Redis has them as ours, and nobody runs them."""
        asked = self._monotonic()
        if self._doubtful_since is None or asked < self._ask_again_at or not self.consumer:
            return
        if self._breaker.state(asked) is BreakerState.OPEN:
            return
        ours = self._runs.held | self._settler.held  # before it is asked: what is handed back meanwhile is no stray
        try:
            held = await self._steps.held_by(self.consumer)
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), asked)
            self._tally.trouble(error)
            return
        # Redis may do what it was asked on a connection that is gone after what it is asked on the next one.
        self._doubtful_since = None if asked - self._doubtful_since > DOUBT else self._doubtful_since
        self._ask_again_at = asked + AGAIN
        for one in held:
            if (one.name, one.score) not in ours:
                self._settler.put(one)

    async def _take(self, most: int, further: int) -> AcquireResult | None:
        consumer, shards, asked = self.consumer, shards_word(self.listed.shards), self._monotonic()
        look = most + len(self._skips) if self.listed.shards is None else int(most * self._factor) + len(self._skips)
        try:
            took = await self._steps.acquire(
                consumer, most, look=min(LOOK, look), further=further, shards=shards, skip=self._skips
            )
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), asked)
            self._tally.trouble(error)
            self._redis_log.trouble(Activity.TAKING_JOBS, error)
            if isinstance(error, Unanswered):
                self._doubt()
            return None
        except Exception as error:  # noqa: BLE001 - an answer that is none of ours; the next cycle asks again
            self._breaker.failed(self._monotonic(), asked)
            self._redis_log.trouble(Activity.TAKING_JOBS, error)
            self._doubt()
            return None
        self._redis_log.works(Activity.TAKING_JOBS)
        if took is None:
            self._consumer_is_lost(consumer)
            return None
        self._redis_time.correct(took.asof, asked)
        self._tally.filtered["shard"].add(took.others)
        self._tally.filtered["unknown"].add(took.unknown)
        return took

    def _start(self, took: AcquireResult, age: float) -> None:
        """Begin them; where the answer is so old that a deadline or the lease may be over, others may have them."""
        for taken in took.jobs:
            job = self.listed.mine.get(taken.name)
            if job is None:
                self._pass_over(taken)
            elif self.stops or age >= min(job.timeout.seconds, self._lease / 2):
                self._give_back(taken, taken.due)
            else:
                planned = plan_run(job, taken.due, taken.acquired, begun=taken.begun)
                self._tally.missed["made_up"].add(planned.made_up)
                self._tally.missed["skipped"].add(planned.skipped)
                if planned.runs:
                    self.acquired += 1
                    self._tally.acquired.add()
                    self._tally.lateness.observe(taken.acquired - taken.due)
                    self._runs.start(taken, job, planned, self._permits.take(), self.consumer)
                else:
                    self._give_back(taken, planned.next)
        self._tally.permits_free.set(self._permits.free if self._permits.limit else 0)

    def _pass_over(self, taken: AcquiredJob) -> None:
        """Not ours: it goes back with the score it had, and is not taken again before it is on the list."""
        disabled = taken.name in self.listed.disabled
        self._tally.filtered["pattern" if disabled else "unknown"].add()
        self.found_unknown |= not disabled
        if len(self._skips) >= STRANGERS:
            self._skips.pop(next(iter(self._skips)))
        self._skips[taken.name] = None
        self._give_back(taken, taken.due)

    def _doubt(self) -> None:
        self._doubtful_since, self._ask_again_at = self._monotonic(), 0.0

    def _give_back(self, taken: AcquiredJob, due: int) -> None:
        self._settler.put(EndedRun(taken.name, taken.score, due, None))
