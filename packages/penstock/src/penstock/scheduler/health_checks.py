"""Counts the jobs, judges the health of this pod, and logs both: every two seconds, and in a summary."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from penstock.clocks import Clocks
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.job_steps import JobCounts, JobSteps, shards_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.orphan_cleanup import OrphanCleanup
from penstock.scheduler.permits import Permits
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.refresh import Refresh
from penstock.scheduler.runs import JobRuns
from penstock.scheduler.settler import RunSettler
from penstock.scheduler.watchdog import PodState, Watchdog
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.spec import Scheduler

COUNT_EVERY = 2.0
FILTERS_EVERY = 60.0
"""Seconds over which passed-over jobs are counted."""
MANY_PASSED = 1000
MOST_PASSED = 0.9
"""So many, and such a share of all inspected due jobs, are worth a warning."""


class HealthChecks:
    """Looks at the jobs and at this pod, and reports what it finds."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it looks at, each of another type
        self,
        spec: Scheduler,
        steps: JobSteps,
        acquiring: Acquiring,
        runs: JobRuns,
        settler: RunSettler,
        refresh: Refresh,
        orphans: OrphanCleanup,
        permits: Permits,
        redis_time: RedisTime,
        metrics: SchedulerMetrics,
        clocks: Clocks,
        is_stalled: Callable[[], bool],
    ) -> None:
        """`is_stalled` returns whether Redis cannot be used now."""
        self._steps = steps
        self._acquiring = acquiring
        self._runs = runs
        self._settler = settler
        self._refresh = refresh
        self._orphans = orphans
        self._permits = permits
        self._redis_time = redis_time
        self._metrics = metrics
        self._monotonic = clocks.monotonic
        self._is_stalled = is_stalled
        self._summary_every = spec.health.summary.seconds
        self._log = Log(logging.getLogger("penstock.scheduler"))
        self._watchdog = Watchdog(spec.health)
        self._filters = (0, 0)
        self._filters_at = self._monotonic() + FILTERS_EVERY
        self._acquired_before = 0
        self._counts: JobCounts | None = None
        self._signals: Mapping[str, bool] = {}
        self._degraded = False

    async def run(self) -> None:
        """Count and check until cancelled."""
        while True:
            await asyncio.sleep(COUNT_EVERY)
            try:
                await self._runs.keep_overdue(self._steps)
                sent = self._monotonic()
                self._counts = await self._steps.look(shards_word(self._acquiring.listed.shards))
                self._redis_time.correct(self._counts.asof, sent)
                self._runs.replace(self._counts.again)
            except RedisTrouble as error:
                self._metrics.trouble(error)
            self._check_health()

    def _check_health(self) -> None:
        metrics, counts = self._metrics, self._counts
        if counts is not None:
            metrics.waiting.set(counts.waiting)
            metrics.working.set(counts.working)
            metrics.paused.set(counts.paused)
            metrics.given_up.set(counts.given_up)
            # While all jobs are paused, none should run, so no alert should fire.
            metrics.ready.set(0 if counts.all_paused else counts.ready)
            metrics.oldest_overdue.set(0 if counts.all_paused else counts.overdue)
        acquired, self._acquired_before = self._acquiring.acquired - self._acquired_before, self._acquiring.acquired
        state = PodState(
            ready=max(0, counts.ready - self._acquiring.limited) if counts else 0,
            overdue=counts.overdue if counts else 0.0,
            mean_interval=self._refresh.mean_interval,
            limit=self._permits.limit,
            free=self._permits.free,
            running=len(self._runs),
            acquired=acquired,
            all_paused=counts.all_paused if counts else False,
            stalled=self._is_stalled(),
        )
        self._signals = self._watchdog.check(state)
        for name, active in self._signals.items():
            metrics.signals[name].set(active)
        self.check_passed_over()
        degraded = self._watchdog.is_degraded(state, self._signals)
        metrics.degraded.set(degraded)
        if degraded != self._degraded:
            self._degraded = degraded
            self._log.event(Event.SCHEDULER_DEGRADED if degraded else Event.SCHEDULER_HEALTHY, **self._summary())

    def check_passed_over(self) -> None:
        """Warn if nearly all due jobs that this pod inspects are not for it: it may find its own too late."""
        if self._monotonic() < self._filters_at:
            return
        passed = sum(int(self._metrics.filtered[why].value) for why in ("shard", "pattern", "unknown"))
        acquired = self._acquiring.acquired
        (passed_before, acquired_before), self._filters = self._filters, (passed, acquired)
        self._filters_at = self._monotonic() + FILTERS_EVERY
        passed, acquired = passed - passed_before, acquired - acquired_before
        if passed >= MANY_PASSED and passed > MOST_PASSED * (passed + acquired):
            self._log.event(Event.JOBS_PASSED_OVER, passed=passed, acquired=acquired)

    async def log_summaries(self) -> None:
        """Log a summary regularly, unless the spec disables it."""
        while self._summary_every > 0:
            await asyncio.sleep(self._summary_every)
            self._log.event(
                Event.SCHEDULER_SUMMARY, health="DEGRADED" if self._degraded else "HEALTHY", **self._summary()
            )

    def _summary(self) -> dict[str, object]:
        metrics, counts, limit = self._metrics, self._counts, self._permits.limit
        free = self._permits.free
        return {
            "registered": self._refresh.registered,
            "running": len(self._runs),
            "working": counts.working if counts else 0,
            "ready": counts.ready if counts else 0,
            "oldest_overdue": round(counts.overdue) if counts else 0,
            "capacity_per_cycle": self._acquiring.capacity,
            "permits": f"{free}/{limit} ({free / limit:.0%})" if limit else "unlimited",
            "zombies_cancelled": int(sum(counter.value for counter in metrics.zombies.values())),
            "orphans_returned": self._orphans.returned,
            "queue_depth": self._settler.unsettled,
            "signals": ",".join(sorted(name for name, active in self._signals.items() if active)),
        }
