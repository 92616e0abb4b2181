"""A scheduler's pod, from its first connection to its last."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.readiness import Why
from penstock.observe.redis_log import log_trouble
from penstock.pod.dependencies import Dependencies, SideTask
from penstock.pod.lease import Lease
from penstock.pod.parts import Parts
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.scheduler.job_list import JobLister
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.job_steps import NAMES, JobCounts, JobSteps, shards_word
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.orphan_cleanup import OrphanCleanup
from penstock.scheduler.permits import Permits
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.refresh import Refresh
from penstock.scheduler.registration import PodRegistration
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.runs import JobRuns
from penstock.scheduler.settler import RunSettler
from penstock.scheduler.watchdog import PodState, Watchdog
from penstock.wire.errors import RedisTrouble

LOOK_EVERY = 2.0
GUARDS = 20
"""Looks at the lease in its time; what runs is stopped so long before it is over that it has a moment for it."""
SPREAD = 0.05
"""Seconds behind a whole second of Redis's, when jobs come due, within which pods look, each at its own moment."""
RESERVE = 1.0
"""Seconds before the end of the grace that are left for closing."""
CLOSING = 4 * RESERVE
"""Seconds after which a pod that closes is gone, whatever keeps it."""
BUSIEST = 0.02
"""Seconds between two cycles of a pod that has more to take than permits."""


class Scheduler:
    """Runs one scheduler's jobs. Created in the event loop that it runs in."""

    def __init__(
        self, scheduler: ResolvedScheduler, listing: JobLister, calls: JobRunner, dependencies: Dependencies
    ) -> None:
        """Nothing is connected yet."""
        spec, keys = scheduler.spec, scheduler.keys
        self._spec = spec
        self._dependencies = dependencies
        self._monotonic = dependencies.clocks.monotonic
        self._log = Log(logging.getLogger("penstock.scheduler"))
        self._calls = calls
        self._tally = tally = SchedulerMetrics(dependencies.metrics)
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._begun = asyncio.Event()
        self._links = [dependencies.link(name) for name in ("taker", "settler", "side", "orphans", "lease")]
        tally.connections.follow(lambda: sum(link.is_connected for link in self._links))
        taker, hand, side, orphans, lease_steps = (JobSteps(link, keys, tally.refused) for link in self._links)
        self._redis_time = RedisTime(dependencies.clocks, spec.work.clock.seconds)
        self._breakers = {"acquisition": BatchBreaker(spec.breakers), "completion": BatchBreaker(spec.breakers)}
        self._settler = RunSettler(
            hand, self._breakers["completion"], spec.recovery.attempts, spec.work.batch, tally, dependencies.clocks
        )
        self.permits = Permits(spec.work.concurrency, self._wake_when_hungry)
        tally.permits.set(self.permits.limit)
        tally.permits_free.set(self.permits.limit)
        self._runs = JobRuns(spec, calls, self._settler, self._redis_time, tally, dependencies.rng, dependencies.clocks)
        self._taking = Acquiring(
            spec,
            taker,
            self._breakers["acquisition"],
            self.permits,
            self._runs,
            self._settler,
            self._redis_time,
            tally,
            dependencies.clocks,
            self._forget_consumer,
        )
        self._refresh = Refresh(
            spec,
            listing,
            side,
            self._taking,
            self._settler,
            self._redis_time,
            tally,
            dependencies.rng,
            dependencies.clocks,
        )
        self._orphans = OrphanCleanup(
            spec, orphans, self._taking, tally, dependencies.clocks, dependencies.new_consumer(dependencies.host)
        )
        self._side = side
        self._lease_steps = lease_steps
        self._holds = PodRegistration(lease_steps, dependencies.clocks)
        self._lease = Lease(
            self._holds,
            dependencies.host,
            spec.work.lease.amount,
            self,
            asyncio.get_running_loop().call_soon_threadsafe,
            new_name=dependencies.new_consumer,
        )
        self._health = Watchdog(spec.health)
        self._acquired_before = 0
        self._looked: JobCounts | None = None
        self._signals: Mapping[str, bool] = {}
        self._degraded = False
        self._absent = False
        self._parts = Parts(self._log, self.stop)

    def stop(self) -> None:
        """Begin to leave."""
        self._taking.stops = True
        self._stop.set()
        self._wake.set()

    @property
    def busy(self) -> int:
        """Handlers that run, also those that were left to themselves."""
        return len(self._runs) + self._runs.left_behind

    async def run(self) -> int:
        """Until it is told to stop, or a part of it fails. An exit code: 0 when nothing is left behind."""
        await self._calls.open()
        lease = self._dependencies.side.start(self._lease.run())
        work = {
            "settler": self._settler.run(),
            "refresh": self._refresh.run(),
            "orphans": self._lead(),
            "lease": self._guards(lease),
            "looks": self._looks(),
            "zombies": self._scans(),
            "summary": self._says(),
        }
        for name, part in work.items():
            self._parts.start(name, part)
        try:
            while not self._stop.is_set():
                await self._settler.recover()
                await self._taking.give_back_strays()
                await self._taking.cycle()
                await self._until_next()
        except Exception as error:  # noqa: BLE001 - whatever it is, what runs is handed back before the pod goes
            self._parts.fail("cycle", error)
        return self._parts.exit_code(await self._leave(lease))

    async def _lead(self) -> None:
        """Whoever has had no consumer yet, or no list, looks after nobody's jobs."""
        await self._begun.wait()
        await self._taking.knows.wait()
        await self._orphans.run()

    # -- the lease says, in this loop ---------------------------------------------------------------------------------

    def registered(self, consumer: str) -> None:
        """A consumer has begun."""
        self._dependencies.process.consumer = consumer
        self._log.event(Event.CONSUMER_JOINED, consumer=consumer)
        self._taking.consumer = consumer
        self._begun.set()
        for why in (Why.STARTING, Why.REDIS_ABSENT, Why.NO_LEASE):
            self._dependencies.readiness.release(why)
        self._absent = False
        self._wake.set()

    def renewed(self, consumer: str) -> None:
        """It goes on."""
        self._dependencies.readiness.release(Why.REDIS_ABSENT)
        if self._absent:
            self._absent = False
            self._log.event(Event.REDIS_REACHABLE, activity=Activity.RENEWING)
        if not self._taking.consumer:
            self._taking.consumer = consumer  # what ran was stopped while nobody knew whether the lease was over

    def lost(self, consumer: str) -> None:
        """Somebody judged it lost; what it held is due again."""
        self._tally.lease_lost.add()
        self._dependencies.readiness.hold(Why.NO_LEASE)
        self._log.event(Event.LEASE_LOST, consumer=consumer, running=len(self._runs))
        self._taking.consumer = ""
        self._runs.cancel_all("lost")

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis did not answer as it should."""
        self._tally.trouble(error)
        self._dependencies.readiness.hold(Why.REDIS_ABSENT)
        if not self._absent:
            self._absent = True
            log_trouble(self._log, activity, error)

    # -- the cycle ----------------------------------------------------------------------------------------------------

    def _forget_consumer(self, consumer: str) -> None:
        """A script said that it is over, before the lease's next renewal would."""
        if self._taking.consumer == consumer:
            self._taking.consumer = ""
            self._runs.cancel_all("lost")

    def _wake_when_hungry(self) -> None:
        """Enough came back to be worth a call."""
        if self._taking.hungry and self.permits.free >= min(self.permits.limit, self._spec.work.batch) / 2:
            self._wake.set()

    async def _until_next(self) -> None:
        """Until the next look: with an interval of a second, right after each of Redis's seconds begins."""
        for name, breaker in self._breakers.items():
            self._tally.breaker(name, breaker, self._monotonic())
        self._tally.connects.add(sum(link.connections for link in self._links) - self._tally.connects.value)
        interval = self._spec.work.interval.seconds
        wait = interval
        if self._redis_time.is_known:
            wait = (
                interval
                - self._redis_time.now() % interval
                + min(SPREAD, interval / 10) * self._dependencies.rng.random()
            )
        if self._taking.hungry and self.permits.free:
            wait = BUSIEST
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), wait)
        self._wake.clear()

    # -- beside it ----------------------------------------------------------------------------------------------------

    async def _guards(self, keeping: SideTask) -> None:
        """Whoever cannot renew the lease stops what runs before it is over: from then on others may judge it."""
        lease = self._spec.work.lease.seconds
        while True:
            await asyncio.sleep(lease / GUARDS)
            if keeping.done():
                raise keeping.exception() or RuntimeError("nobody keeps the lease")
            if self._taking.consumer and self._monotonic() - self._holds.renewed_at > lease * (1 - 2 / GUARDS):
                self._log.event(Event.LEASE_EXPIRING, consumer=self._taking.consumer)
                self._taking.consumer = ""
                self._runs.cancel_all("lost")

    async def _scans(self) -> None:
        terms = self._spec.cleanup.zombies
        while terms.enabled:
            await asyncio.sleep(terms.every.seconds)
            began = self._monotonic()
            self._runs.scan()
            self._tally.passes["zombies"].observe(self._monotonic() - began)

    async def _looks(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                self._looked = await self._side.look(shards_word(self._taking.listed.shards))
            except RedisTrouble as error:
                self._tally.trouble(error)
            self._judge()

    def _judge(self) -> None:
        tally, looked = self._tally, self._looked
        if looked is not None:
            tally.waiting.set(looked.waiting)
            tally.working.set(looked.working)
            tally.paused.set(looked.paused)
            # While all are paused nobody is to run them, and nobody is to be told that they do not run.
            tally.ready.set(0 if looked.all_paused else looked.ready)
            tally.oldest_overdue.set(0 if looked.all_paused else looked.overdue)
        now = self._monotonic()
        acquired, self._acquired_before = self._taking.acquired - self._acquired_before, self._taking.acquired
        seen = PodState(
            ready=looked.ready if looked else 0,
            overdue=looked.overdue if looked else 0.0,
            mean_interval=self._refresh.mean_interval,
            limit=self.permits.limit,
            free=self.permits.free,
            running=len(self._runs),
            acquired=acquired,
            all_paused=looked.all_paused if looked else False,
            stalled=self._absent or any(one.state(now) is not BreakerState.CLOSED for one in self._breakers.values()),
        )
        self._signals = self._health.look(seen)
        for name, shows in self._signals.items():
            tally.signals[name].set(shows)
        degraded = self._health.is_degraded(seen, self._signals)
        tally.degraded.set(degraded)
        if degraded != self._degraded:
            self._degraded = degraded
            self._log.event(Event.SCHEDULER_DEGRADED if degraded else Event.SCHEDULER_HEALTHY, **self._summary())

    async def _says(self) -> None:
        every = self._spec.health.summary.seconds
        while every > 0:
            await asyncio.sleep(every)
            self._log.event(
                Event.SCHEDULER_SUMMARY, health="DEGRADED" if self._degraded else "HEALTHY", **self._summary()
            )

    def _summary(self) -> dict[str, object]:
        tally, looked, limit = self._tally, self._looked, self.permits.limit
        free = self.permits.free
        return {
            "scripts": len(NAMES),
            "registered": self._refresh.registered,
            "running": len(self._runs),
            "working": looked.working if looked else 0,
            "ready": looked.ready if looked else 0,
            "oldest_overdue": round(looked.overdue) if looked else 0,
            "capacity_per_cycle": self._taking.capacity,
            "permits": f"{free}/{limit} ({free / limit:.0%})" if limit else "without a bound",
            "zombies_cancelled": int(sum(one.value for one in tally.zombies.values())),
            "orphans_returned": self._orphans.returned,
            "queue_depth": self._settler.unsettled,
            "signals": ",".join(sorted(name for name, shows in self._signals.items() if shows)),
        }

    # -- leaving ------------------------------------------------------------------------------------------------------

    async def _leave(self, lease: SideTask) -> int:
        terms, began = self._spec.shutdown, self._monotonic()
        end = began + max(RESERVE, terms.grace.seconds - RESERVE)
        self._dependencies.readiness.hold(Why.DRAINING)
        self._tally.draining.set(1)
        self._log.event(Event.DRAIN_STARTED, running=len(self._runs), grace=str(terms.grace))
        self._parts.cancel(but=("settler",))
        self._runs.cancel_all("drain")
        await self._ended(min(end, began + terms.cancel.seconds))
        if len(self._runs):
            self._log.event(Event.DRAIN_STUCK, running=len(self._runs))
            await self._ended(min(end, self._monotonic() + terms.force.seconds))
        left = self._runs.leave_behind(max(RESERVE, end - self._monotonic()) + CLOSING)
        self._parts.cancel()
        await self._parts.ended()
        unsettled = await self._close(lease, max(RESERVE, end - self._monotonic()))
        seconds = round(self._monotonic() - began, 3)
        if left or unsettled:
            self._log.event(Event.DRAIN_INCOMPLETE, left_behind=left, unsettled=unsettled, seconds=seconds)
            return 1
        self._log.event(Event.DRAIN_FINISHED, seconds=seconds)
        return 0

    async def _ended(self, until: float) -> None:
        while len(self._runs) and self._monotonic() < until:
            self._runs.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._runs.changed.wait(), max(0.0, until - self._monotonic()))

    async def _close(self, lease: SideTask, within: float) -> int:
        """Hand back the rest, and end the consumer. What could not be handed back within the time."""
        lease.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._settler.empty()
        with suppress(TimeoutError, RedisTrouble):
            async with asyncio.timeout(RESERVE):
                if self._holds.consumer:
                    await self._side.lease(self._holds.consumer, 0, "end")
                await self._orphans.give_up()
        try:
            async with asyncio.timeout(RESERVE):
                await self._calls.close()
        except Exception as error:  # noqa: BLE001 - all is handed back by now
            self._log.event(Event.LIFESPAN_EXIT_FAILED, error)
        *links, lease_link = self._links
        closing = self._dependencies.side.start(lease_link.close())
        for link in links:
            await link.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(RESERVE):
                while not closing.done():  # noqa: ASYNC110 - it is another loop's, which knows no event of ours
                    await asyncio.sleep(BUSIEST)
        return self._settler.unsettled
