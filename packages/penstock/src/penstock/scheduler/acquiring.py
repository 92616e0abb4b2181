"""Acquires due jobs while permits are free, and starts them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

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
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.spec import Scheduler

CALLS = 80
"""Calls in one cycle, so that the other work of a cycle gets its turn."""
UNANSWERED_LASTS = 60.0
"""Seconds after an unanswered acquire in which Redis may still execute it."""
AGAIN = 5.0
"""Seconds between two searches for its jobs."""
INSPECTED = 500
"""Most names that one call inspects; it acquires at most half of them."""
SWEEPS = 8
"""Calls in one cycle to find due jobs behind those that wait for a limit; the next cycle continues from there."""
MOST_SKIPPED = 2000
"""Most names that one call can skip."""

log = Log(logging.getLogger("penstock.scheduler"))


class Acquiring:
    """Acquires for one pod."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        spec: Scheduler,
        steps: JobSteps,
        breaker: BatchBreaker,
        permits: Permits,
        runs: JobRuns,
        settler: RunSettler,
        redis_time: RedisTime,
        metrics: SchedulerMetrics,
        clocks: Clocks,
        consumer_is_lost: Callable[[str], object],
    ) -> None:
        """`consumer_is_lost` is called when Redis no longer has the consumer."""
        self._batch = min(spec.work.batch, MOST)
        self._lease = spec.work.lease.seconds
        self._interval = spec.work.interval.seconds
        self._limits = spec.limits
        self._factor = 1 + float(spec.work.scan_factor)
        self._steps = steps
        self._breaker = breaker
        self._permits = permits
        self._runs = runs
        self._settler = settler
        self._redis_time = redis_time
        self._metrics = metrics
        self._monotonic = clocks.monotonic
        self._consumer_is_lost = consumer_is_lost
        self._redis_log = RedisLog(log, clocks.monotonic)
        self._skips: dict[str, None] = {}
        self._suspects_left: set[str] = set()
        """Suspects that this pod leaves to others while it runs one."""
        self.listed = JobList()
        self.has_list = asyncio.Event()
        """Set with the first list. Before that, the pod does not know its jobs and shards."""
        self.consumer = ""
        self.stopping = False
        """Whether to acquire nothing more; jobs of a call in progress are handed back."""
        self.has_more = False
        """Whether the last cycle ended because no permits or calls were left."""
        self.found_unknown = False
        """Whether a due job is not on the list, which may then be outdated."""
        self.limited = 0
        """Due jobs that wait for a limit of their labels, as far as the last sweep counted them."""
        self._counting = 0
        self._swept = 0
        """Where the next sweep continues; 0 for the start."""
        self._sweep_at = 0.0
        self._unanswered_since: float | None = None
        """When a call got no answer: Redis may have assigned jobs to this pod that it does not run."""
        self._search_at = 0.0
        self.acquired = 0
        self.capacity = 0

    def use_list(self, listed: JobList) -> None:
        """Use a new list, which may contain jobs that were skipped."""
        self.listed = listed
        self.has_list.set()
        self._skips = {name: None for name in self._skips if name not in listed.mine}
        self.found_unknown = False

    async def cycle(self) -> None:
        """Acquire all due jobs for which there are permits."""
        self.capacity = self._permits.free if self._permits.limit else 0
        self._metrics.capacity.set(self.capacity)
        self._look_for_suspects()
        self.has_more, further, began, before = False, 0, self._monotonic(), self.acquired
        limited = sweeps = 0
        for _ in range(CALLS):
            most = min(self._batch, self._permits.free)
            if self.stopping or not (self.consumer and self.has_list.is_set()):
                break
            if most > 0 and not self._breaker.admits(self._monotonic()):
                break
            if most <= 0:
                self.has_more = True
                if self._breaker.state(self._monotonic()) is BreakerState.HALF_OPEN:
                    await self._acquire(0, 0)  # a probe: until a run ends, no other call would close the breaker
                break
            sent = self._monotonic()
            result = await self._acquire(most, further)
            if result is None:
                break
            await self._start(result, self._monotonic() - sent)
            limited = result.limited + (limited if further else 0)
            further = result.further
            if limited and further:
                sweeps += 1
                if not self._sweeps(sweeps, further, limited):
                    break
                further = max(further, self._swept) if sweeps == 1 else further
            if not further and len(result.jobs) < most:
                self.limited, self._counting, self._swept = self._counting + limited, 0, 0
                break
        else:
            self.has_more = self.acquired > before  # jobs that were only handed back would be acquired again and again
        self._metrics.cycle.observe(self._monotonic() - began)

    def _look_for_suspects(self) -> None:
        """Skip no suspects any more if none runs here."""
        if self._suspects_left and not self._runs.runs_suspect():
            self._skips = {name: None for name in self._skips if name not in self._suspects_left}
            self._suspects_left.clear()

    def _sweeps(self, calls: int, further: int, limited: int) -> bool:
        """Whether this cycle goes on behind jobs that wait for a limit, so that they hide no other job."""
        if calls == 1 and self._monotonic() < self._sweep_at:
            return False
        if calls == 1:
            self._sweep_at = self._monotonic() + self._interval / 2
        if calls <= SWEEPS:
            return True
        self._counting += limited
        self._swept = further
        return False

    def is_limited(self, names: Iterable[str]) -> bool:
        """Whether due jobs wait for a limit, and one of these jobs held a place of a limit."""
        return self.limited > 0 and any(
            not self._limits.keys().isdisjoint(job.labels) for name in names if (job := self.listed.mine.get(name))
        )

    async def hand_back_strays(self) -> None:
        """Hand back jobs that Redis assigned to this pod in an unanswered call: the pod does not run them."""
        started = self._monotonic()
        if self._unanswered_since is None or started < self._search_at or not self.consumer:
            return
        if self._breaker.state(started) is BreakerState.OPEN:
            return
        # Read before the call to Redis: a job that is handed back meanwhile is no stray.
        known = self._runs.held | self._settler.held
        try:
            assigned = await self._steps.held_by(self.consumer)
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), started, error)
            self._metrics.trouble(error)
            return
        # Redis may execute a call from a closed connection after calls from the next connection.
        self._unanswered_since = None if started - self._unanswered_since > UNANSWERED_LASTS else self._unanswered_since
        self._search_at = started + AGAIN
        for job in assigned:
            if (job.name, job.score) not in known:
                self._settler.put(job)

    async def _acquire(self, most: int, further: int) -> AcquireResult | None:
        consumer, shards, sent = self.consumer, shards_word(self.listed.shards), self._monotonic()
        finds_all = self.listed.shards is None and not self._limits
        look = (most if finds_all else int(most * self._factor)) + len(self._skips)
        try:
            result = await self._steps.acquire(
                consumer, most, look=min(INSPECTED, look), further=further, shards=shards, skip=self._skips
            )
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), sent, error)
            self._metrics.trouble(error)
            self._redis_log.trouble(Activity.TAKING_JOBS, error)
            if isinstance(error, Unanswered):
                self._note_unanswered()
            return None
        except Exception as error:  # noqa: BLE001 - an unexpected reply; the next cycle tries again
            self._breaker.failed(self._monotonic(), sent, error)
            self._redis_log.trouble(Activity.TAKING_JOBS, error)
            self._note_unanswered()
            return None
        self._breaker.succeeded(sent)
        self._redis_log.works(Activity.TAKING_JOBS)
        if result is None:
            self._consumer_is_lost(consumer)
            return None
        self._redis_time.correct(result.asof, sent)
        self._metrics.filtered["shard"].add(result.others)
        self._metrics.filtered["unknown"].add(result.unknown)
        self._metrics.filtered["limit"].add(result.limited)
        return result

    async def _start(self, result: AcquireResult, age: float) -> None:
        """Start the jobs, or hand them back if the reply is so late that a deadline or the lease may have expired."""
        suspect: tuple[AcquiredJob, EffectiveJob] | None = None
        for acquired in result.jobs:
            job = self.listed.mine.get(acquired.name)
            if job is None:
                self._skip(acquired)
            elif self._runs.runs_job(acquired.name):
                # The pod had lost its lease, and a run from before ignores its cancellation.
                self._metrics.filtered["running"].add()
                self._skip_name(acquired)
            elif self.stopping or age >= min(job.timeout.seconds, self._lease / 2):
                self._hand_back(acquired, acquired.due)
            elif not acquired.is_suspect:
                self._start_job(acquired, job)
            elif suspect is None and not self._runs.runs_suspect():
                suspect = acquired, job
            else:
                self._metrics.filtered["suspect"].add()
                self._suspects_left.add(acquired.name)
                self._skip_name(acquired)
        if suspect is not None:
            await self._start_suspect(*suspect)
        self._metrics.permits_free.set(self._permits.free if self._permits.limit else 0)

    def _start_job(self, acquired: AcquiredJob, job: EffectiveJob) -> None:
        planned = plan_run(job, acquired.due, acquired.acquired, begun=acquired.begun)
        self._metrics.missed["made_up"].add(planned.made_up)
        self._metrics.missed["skipped"].add(planned.skipped)
        if planned.runs:
            self.acquired += 1
            self._metrics.acquired.add()
            self._metrics.lateness.observe(acquired.acquired - acquired.due)
            self._runs.start(acquired, job, planned, self._permits.take(), self.consumer)
        else:
            self._hand_back(acquired, planned.next)

    async def _start_suspect(self, acquired: AcquiredJob, job: EffectiveJob) -> None:
        """Start a job that may crash this pod, once Redis knows that the loss would be its own."""
        consumer, sent = self.consumer, self._monotonic()
        try:
            kept = await self._steps.keep((acquired,), "alone")
        except RedisTrouble as error:
            self._breaker.failed(self._monotonic(), sent, error)
            self._metrics.trouble(error)
            kept = 0
        if kept and consumer == self.consumer and not self.stopping and self._monotonic() - sent < self._lease / 2:
            self._start_job(acquired, job)
        else:
            self._hand_back(acquired, acquired.due)

    def _skip(self, acquired: AcquiredJob) -> None:
        """Hand back a job of other pods with its old score, and skip it until it is on the list."""
        disabled = acquired.name in self.listed.disabled
        self._metrics.filtered["pattern" if disabled else "unknown"].add()
        self.found_unknown |= not disabled
        self._skip_name(acquired)

    def _skip_name(self, acquired: AcquiredJob) -> None:
        if len(self._skips) >= MOST_SKIPPED:
            self._skips.pop(next(iter(self._skips)))
        self._skips[acquired.name] = None
        self._hand_back(acquired, acquired.due)

    def _note_unanswered(self) -> None:
        self._unanswered_since, self._search_at = self._monotonic(), 0.0

    def _hand_back(self, acquired: AcquiredJob, due: int) -> None:
        self._settler.put(EndedRun(acquired.name, acquired.score, due, None))
