"""Registers the jobs that should exist and unregisters the others: jobs, patterns and shards change while pods run."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from penstock.clocks import Clocks
from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.due_times import first_due, interval, latest_due
from penstock.scheduler.job_list import JobList, JobLister
from penstock.scheduler.job_steps import MOST_REGISTERED, PAGE, JobEntry, JobSteps
from penstock.scheduler.limits import labels_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.settler import RunSettler
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.spec import Scheduler

T = TypeVar("T")

SHORTEST = 1.0
"""Shortest time between two refreshes in seconds, however many unlisted jobs come due."""
RETRY = 5.0
"""Seconds until the next refresh after one without an answer from Redis."""

log = Log(logging.getLogger("penstock.scheduler"))


class Refresh:
    """The refresh of one pod. It registers all jobs each time, which restores jobs that Redis lost."""

    def __init__(  # noqa: PLR0913, PLR0917 - its collaborators, each of another type
        self,
        spec: Scheduler,
        lister: JobLister,
        steps: JobSteps,
        acquiring: Acquiring,
        settler: RunSettler,
        redis_time: RedisTime,
        metrics: SchedulerMetrics,
        rng: Random,
        clocks: Clocks,
    ) -> None:
        """Nothing is registered yet."""
        self._terms = spec.refresh
        self._limits = spec.limits
        self._spread = spec.jitter.registration.seconds
        self._lister = lister
        self._steps = steps
        self._acquiring = acquiring
        self._settler = settler
        self._redis_time = redis_time
        self._metrics = metrics
        self._rng = rng
        self._monotonic = clocks.monotonic
        self._registered: set[str] = set()
        self._disabled: frozenset[str] = frozenset()
        self._cut_off_after: str | None = None
        self.registered = 0
        self.mean_interval = 0.0

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            started = self._monotonic()
            wait = self._terms.every.seconds if await self.once() else min(RETRY, self._terms.every.seconds)
            while self._monotonic() - started < wait:
                await asyncio.sleep(min(SHORTEST, self._terms.every.seconds))
                if self._acquiring.found_unknown:
                    break

    async def once(self) -> bool:
        """Refresh once; log a failure, which the next refresh retries. False if Redis did not answer."""
        started, answered = self._monotonic(), True
        try:
            await self._pass(started)
        except RedisTrouble as error:
            answered = False
            self._metrics.trouble(error)
            self._metrics.pass_errors["refresh"].add()
            log_trouble(log, Activity.REGISTERING_JOBS, error)
        except Exception as error:  # noqa: BLE001 - the team's functions may raise anything
            self._metrics.pass_errors["refresh"].add()
            log.event(Event.JOBS_LIST_FAILED, error)
        self._metrics.passes["refresh"].observe(self._monotonic() - started)
        return answered

    async def _pass(self, began: float) -> None:
        listed = await self._lister.read()
        self._acquiring.use_list(listed)
        self._settler.retry_exhausted()
        if not self._redis_time.is_known:
            sent = self._monotonic()
            self._redis_time.correct(await self._steps.time(), sent)
        await self._unregister(listed)
        await self._register(listed, began)
        self.mean_interval = sum(map(interval, listed.mine.values())) / len(listed.mine) if listed.mine else 0.0
        self._metrics.mean_interval.set(self.mean_interval)

    async def _unregister(self, listed: JobList) -> None:
        """Unregister removed and disabled jobs. A job that moved to another shard is left to that shard's pod."""
        moved = {name for name in self._registered - listed.mine.keys() if name in listed.known - listed.disabled}
        vanished = (self._registered - listed.mine.keys() - moved) | (listed.disabled - self._disabled)
        self._registered -= moved
        for page in _pages(sorted(vanished), PAGE):
            gone = await self._steps.unregister(page)
            self._metrics.reconciled["unregistered"].add(gone)
            self._registered -= set(page)
        self._disabled = listed.disabled

    async def _register(self, listed: JobList, began: float) -> None:
        """Start where the last pass was cut off, so that every job gets its turn."""
        jobs = [listed.mine[name] for name in sorted(listed.mine)]
        if self._cut_off_after is not None:
            after = self._cut_off_after
            jobs = [job for job in jobs if job.name > after] + [job for job in jobs if job.name <= after]
            self._cut_off_after = None
        budget = self._terms.budget.seconds
        for page in _pages(jobs, MOST_REGISTERED):
            entries, sent = [self._entry(job) for job in page], self._monotonic()
            asof, added = await self._steps.register(entries)
            self._redis_time.correct(asof, sent)
            self._metrics.reconciled["registered"].add(added)
            self._registered.update(job.name for job in page)
            if budget and self._monotonic() - began > budget and page[-1] is not jobs[-1]:
                self._cut_off_after = page[-1].name
                self._metrics.cut_off["refresh"].add()
                break
        self.registered = len(self._registered)
        self._metrics.registered.set(self.registered)

    def _entry(self, job: EffectiveJob) -> JobEntry:
        now = self._redis_time.now()
        schedule = (
            str(job.every) if job.every is not None else f"cron:{zlib.crc32(f'{job.cron} {job.time_zone}'.encode())}"
        )
        overlap = "" if job.overlap == "wait" else f"/{job.overlap}"
        registration = (
            f"{job.timeout.amount} {job.priority} {job.shard} {schedule}{overlap}{self._limited_labels(job.labels)}"
        )
        return JobEntry(
            job.name, registration, job.priority, first_due(job, now, self._spread, self._rng), latest_due(job, now)
        )

    def _limited_labels(self, labels: Mapping[str, str]) -> str:
        word = labels_word(labels, self._limits) if self._limits else ""
        return f" {word}" if word else ""


def _pages(of: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    return (of[at : at + most] for at in range(0, len(of), most))
