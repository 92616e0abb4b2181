"""Holds what is registered against what should be: jobs, patterns and shards change while pods run."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from penstock.clocks import Clocks
from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.redis_log import log_trouble
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.due_times import first_due, interval, latest_due
from penstock.scheduler.job_list import JobList, JobLister
from penstock.scheduler.job_steps import MOST, PAGE, JobEntry, JobSteps
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.settler import RunSettler
from penstock.wire.errors import RedisTrouble
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.spec import Scheduler

T = TypeVar("T")

SOONEST = 1.0
"""Seconds between two refreshes, however many jobs come up that are on no list."""
AGAIN = 5.0
"""Seconds after one in which Redis did not answer: what it may have lost waits for the next."""

log = Log(logging.getLogger("penstock.scheduler"))


class Refresh:
    """One pod's. Everything is registered anew each time, so that what Redis has lost is there again."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it works with, each of a kind of its own
        self,
        spec: Scheduler,
        listing: JobLister,
        steps: JobSteps,
        taking: Acquiring,
        settler: RunSettler,
        redis_time: RedisTime,
        tally: SchedulerMetrics,
        rng: Random,
        clocks: Clocks,
    ) -> None:
        """Nothing is registered yet."""
        self._terms = spec.refresh
        self._spread = spec.jitter.registration.seconds
        self._listing = listing
        self._steps = steps
        self._taking = taking
        self._settler = settler
        self._redis_time = redis_time
        self._tally = tally
        self._rng = rng
        self._monotonic = clocks.monotonic
        self._registered: set[str] = set()
        self._disabled: frozenset[str] = frozenset()
        self._cut_off_at: str | None = None
        self.registered = 0
        self.mean_interval = 0.0

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            began = self._monotonic()
            wait = self._terms.every.seconds if await self.once() else min(AGAIN, self._terms.every.seconds)
            while self._monotonic() - began < wait:
                await asyncio.sleep(min(SOONEST, self._terms.every.seconds))
                if self._taking.found_unknown:
                    break

    async def once(self) -> bool:
        """One pass; what goes wrong in it is told, and the next one comes. False where Redis was asked in vain."""
        began, answered = self._monotonic(), True
        try:
            await self._pass(began)
        except RedisTrouble as error:
            answered = False
            self._tally.trouble(error)
            self._tally.pass_errors["refresh"].add()
            log_trouble(log, Activity.REGISTERING_JOBS, error)
        except Exception as error:  # noqa: BLE001 - the team's functions may raise anything
            self._tally.pass_errors["refresh"].add()
            log.event(Event.JOBS_LIST_FAILED, error)
        self._tally.passes["refresh"].observe(self._monotonic() - began)
        return answered

    async def _pass(self, began: float) -> None:
        listed = await self._listing.ask()
        self._taking.listed_anew(listed)
        self._settler.bring_back()
        if self._redis_time.is_stale:
            asked = self._monotonic()
            self._redis_time.correct(await self._steps.time(), asked)
        await self._unregister(listed)
        await self._register(listed, began)
        self.mean_interval = sum(map(interval, listed.mine.values())) / len(listed.mine) if listed.mine else 0.0
        self._tally.mean_interval.set(self.mean_interval)

    async def _unregister(self, listed: JobList) -> None:
        """What vanished, and what is disabled by now. What is another's by now is that one's to register."""
        moved = {name for name in self._registered - listed.mine.keys() if name in listed.known - listed.disabled}
        vanished = (self._registered - listed.mine.keys() - moved) | (listed.disabled - self._disabled)
        self._registered -= moved
        for page in _pages(sorted(vanished), PAGE):
            gone = await self._steps.unregister(page)
            self._tally.reconciled["unregistered"].add(gone)
            self._registered -= set(page)
        self._disabled = listed.disabled

    async def _register(self, listed: JobList, began: float) -> None:
        """From where the last pass was cut off, so that in the end all have had their turn."""
        jobs = [listed.mine[name] for name in sorted(listed.mine)]
        if self._cut_off_at is not None:
            after = self._cut_off_at
            jobs = [one for one in jobs if one.name > after] + [one for one in jobs if one.name <= after]
            self._cut_off_at = None
        budget = self._terms.budget.seconds
        for page in _pages(jobs):
            entries, asked = [self._entry(one) for one in page], self._monotonic()
            asof, added = await self._steps.register(entries)
            self._redis_time.correct(asof, asked)
            self._tally.reconciled["registered"].add(added)
            self._registered.update(one.name for one in page)
            if budget and self._monotonic() - began > budget and page[-1] is not jobs[-1]:
                self._cut_off_at = page[-1].name
                self._tally.cut_off["refresh"].add()
                break
        self.registered = len(self._registered)
        self._tally.registered.set(self.registered)

    def _entry(self, job: EffectiveJob) -> JobEntry:
        now = self._redis_time.now()
        schedule = (
            str(job.every) if job.every is not None else f"cron:{zlib.crc32(f'{job.cron} {job.time_zone}'.encode())}"
        )
        says = f"{job.timeout.amount} {job.priority} {job.shard} {schedule}"
        return JobEntry(
            job.name, says, job.priority, first_due(job, now, self._spread, self._rng), latest_due(job, now)
        )


def _pages(of: Sequence[T], most: int = MOST) -> Iterator[Sequence[T]]:
    return (of[at : at + most] for at in range(0, len(of), most))
