"""Runs the jobs of one scheduler in a pod, from start to drain."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress

from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.readiness import NotReady
from penstock.observe.redis_log import log_trouble
from penstock.pod.dependencies import Dependencies, SideTask
from penstock.pod.lease import Lease
from penstock.pod.parts import Parts
from penstock.scheduler.acquiring import Acquiring
from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.scheduler.health_checks import HealthChecks
from penstock.scheduler.job_list import JobLister
from penstock.scheduler.job_runner import JobRunner
from penstock.scheduler.job_steps import JobSteps, StepTerms
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.orphan_cleanup import OrphanCleanup
from penstock.scheduler.permits import Permits
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.refresh import Refresh
from penstock.scheduler.registration import PodRegistration
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.runs import JobRuns
from penstock.scheduler.server_check import check_server
from penstock.scheduler.settler import RunSettler
from penstock.wire.errors import RedisTrouble

PROBE_EVERY = 1.0
LEASE_CHECKS = 20
"""Checks per lease; runs are cancelled early enough to end before the lease expires."""
SPREAD = 0.05
"""Jobs come due at full seconds of Redis time; each pod starts a cycle within this many seconds after one."""
RESERVE = 1.0
"""Seconds of the grace period that are reserved for closing."""
CLOSING = 4 * RESERVE
"""Seconds after which a closing pod has ended in any case."""
BUSIEST = 0.02
"""Seconds between two cycles while more jobs are due than permits are free."""


class Scheduler:
    """Runs one scheduler's jobs. Created in the event loop that it runs in."""

    def __init__(
        self, scheduler: ResolvedScheduler, lister: JobLister, calls: JobRunner, dependencies: Dependencies
    ) -> None:
        """Nothing is connected yet."""
        spec, keys = scheduler.spec, scheduler.keys
        self._spec = spec
        self._dependencies = dependencies
        self._monotonic = dependencies.clocks.monotonic
        self._log = Log(logging.getLogger("penstock.scheduler"))
        self._calls = calls
        self._metrics = metrics = SchedulerMetrics(dependencies.metrics)
        self._stop = asyncio.Event()
        self._wake = asyncio.Event()
        self._has_consumer = asyncio.Event()
        self._links = [dependencies.link(name) for name in ("taker", "settler", "side", "orphans", "lease")]
        metrics.connections.follow(lambda: sum(link.is_connected for link in self._links))
        taker, hand, side, orphans, lease_steps = (
            JobSteps(link, keys, metrics.refused, StepTerms.of(spec)) for link in self._links
        )
        self._redis_time = RedisTime(dependencies.clocks)
        self._breakers = {"acquisition": BatchBreaker(spec.breakers), "completion": BatchBreaker(spec.breakers)}
        self._settler = RunSettler(
            hand, self._breakers["completion"], spec.recovery.attempts, spec.work.batch, metrics, dependencies.clocks
        )
        self.permits = Permits(spec.work.concurrency, self._wake_if_permits_are_free)
        metrics.permits.set(self.permits.limit)
        metrics.permits_free.set(self.permits.limit)
        self._runs = JobRuns(
            spec, calls, self._settler, self._redis_time, metrics, dependencies.rng, dependencies.clocks
        )
        self._acquiring = Acquiring(
            spec,
            taker,
            self._breakers["acquisition"],
            self.permits,
            self._runs,
            self._settler,
            self._redis_time,
            metrics,
            dependencies.clocks,
            self._forget_consumer,
        )
        self._settler.settled = self._wake_if_limits_have_room
        self._wake_later: asyncio.TimerHandle | None = None
        self._refresh = Refresh(
            spec,
            lister,
            side,
            self._acquiring,
            self._settler,
            self._redis_time,
            metrics,
            dependencies.rng,
            dependencies.clocks,
        )
        self._orphans = OrphanCleanup(
            spec, orphans, self._acquiring, metrics, dependencies.clocks, dependencies.new_consumer(dependencies.host)
        )
        self._side = side
        self._registration = PodRegistration(lease_steps, dependencies.clocks)
        self._lease = Lease(
            self._registration,
            dependencies.host,
            spec.work.lease.amount,
            self,
            asyncio.get_running_loop().call_soon_threadsafe,
            new_name=dependencies.new_consumer,
        )
        self._unreachable = False
        self._health = HealthChecks(
            spec,
            side,
            self._acquiring,
            self._runs,
            self._settler,
            self._refresh,
            self._orphans,
            self.permits,
            self._redis_time,
            metrics,
            dependencies.clocks,
            self._is_stalled,
        )
        self._parts = Parts(self._log, self.stop)

    def stop(self) -> None:
        """Start the drain."""
        self._acquiring.stopping = True
        self._stop.set()
        self._wake.set()

    @property
    def busy(self) -> int:
        """Handlers that run, including abandoned ones."""
        return len(self._runs) + self._runs.left_behind

    async def run(self) -> int:
        """Run until it is stopped or a part fails; return the exit code, which is 0 if no job was left behind."""
        await self._calls.open()
        lease = self._dependencies.side.start(self._lease.run())
        work = {
            "settler": self._settler.run(),
            "refresh": self._refresh.run(),
            "orphans": self._clean_up_orphans(),
            "lease": self._watch_lease(lease),
            "counts": self._health.run(),
            "zombies": self._cancel_overdue(),
            "summary": self._health.log_summaries(),
            "probe": self._probe_redis(),
            "server": check_server(self._side.link),
        }
        for name, part in work.items():
            self._parts.start(name, part)
        try:
            while not self._stop.is_set():
                await self._settler.recover()
                await self._acquiring.hand_back_strays()
                await self._acquiring.cycle()
                await self._wait_for_next_cycle()
        except Exception as error:  # noqa: BLE001 - after any failure, running jobs are handed back before the pod ends
            self._parts.fail("cycle", error)
        return self._parts.exit_code(await self._drain(lease))

    async def _clean_up_orphans(self) -> None:
        """Clean up orphans, once the pod has a consumer and a list of jobs."""
        await self._has_consumer.wait()
        await self._acquiring.has_list.wait()
        await self._orphans.run()

    # -- LeaseListener ------------------------------------------------------------------------------------------------

    def registered(self, consumer: str) -> None:
        """A new consumer is registered."""
        self._dependencies.process.consumer = consumer
        self._log.event(Event.CONSUMER_JOINED, consumer=consumer)
        self._acquiring.consumer = consumer
        self._has_consumer.set()
        for why in (NotReady.STARTING, NotReady.REDIS_ABSENT, NotReady.NO_LEASE):
            self._dependencies.readiness.release(why)
        self._unreachable = False
        self._wake.set()

    def renewed(self, consumer: str) -> None:
        """Its lease was renewed."""
        self._dependencies.readiness.release(NotReady.REDIS_ABSENT)
        if self._unreachable:
            self._unreachable = False
            self._log.event(Event.REDIS_REACHABLE, activity=Activity.RENEWING)
        if not self._acquiring.consumer:
            self._acquiring.consumer = consumer  # runs were cancelled because the lease might have expired

    def lost(self, consumer: str) -> None:
        """Another pod treats the consumer as lost; its jobs are due again."""
        self._metrics.lease_lost.add()
        self._dependencies.readiness.hold(NotReady.NO_LEASE)
        self._log.event(Event.LEASE_LOST, consumer=consumer, running=len(self._runs))
        self._acquiring.consumer = ""
        self._runs.cancel_all("lost")

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Redis refused, or did not answer."""
        self._metrics.trouble(error)
        self._dependencies.readiness.hold(NotReady.REDIS_ABSENT)
        if not self._unreachable:
            self._unreachable = True
            log_trouble(self._log, activity, error)

    # -- the cycle ----------------------------------------------------------------------------------------------------

    def _is_stalled(self) -> bool:
        """Whether the lease cannot be renewed, or a breaker is not closed."""
        now = self._monotonic()
        return self._unreachable or any(one.state(now) is not BreakerState.CLOSED for one in self._breakers.values())

    def _forget_consumer(self, consumer: str) -> None:
        """A script reported that the lease is lost, before the next renewal did."""
        if self._acquiring.consumer == consumer:
            self._acquiring.consumer = ""
            self._runs.cancel_all("lost")

    def _wake_if_permits_are_free(self) -> None:
        """Start the next cycle if enough permits are free to be worth a call."""
        if self._acquiring.has_more and self.permits.free >= min(self.permits.limit, self._spec.work.batch) / 2:
            self._wake.set()

    def _wake_if_limits_have_room(self, names: Iterable[str]) -> None:
        """Start the next cycle soon if these jobs, which were handed back, may have made room for jobs that wait."""
        if self._wake_later is None and self._acquiring.is_limited(names):
            self._wake_later = asyncio.get_running_loop().call_later(BUSIEST, self._wake_now)

    def _wake_now(self) -> None:
        self._wake_later = None
        self._wake.set()

    async def _wait_for_next_cycle(self) -> None:
        """Wait for the next cycle: with an interval of a second, until just after the next second of Redis time."""
        for name, breaker in self._breakers.items():
            self._metrics.breaker(name, breaker, self._monotonic())
        self._metrics.connects.add(sum(link.connections for link in self._links) - self._metrics.connects.value)
        interval = self._spec.work.interval.seconds
        wait = interval
        if self._redis_time.is_known:
            wait = (
                interval
                - self._redis_time.now() % interval
                + min(SPREAD, interval / 10) * self._dependencies.rng.random()
            )
        if self._acquiring.has_more and self.permits.free:
            wait = BUSIEST
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), wait)
        self._wake.clear()

    # -- parts that run alongside the cycle ---------------------------------------------------------------------------

    async def _watch_lease(self, lease_task: SideTask) -> None:
        """Cancel runs if the lease could not be renewed in time: once it has expired, others may acquire the jobs."""
        lease = self._spec.work.lease.seconds
        while True:
            await asyncio.sleep(lease / LEASE_CHECKS)
            if lease_task.done():
                raise lease_task.exception() or RuntimeError("the task that renews the lease ended")
            if self._acquiring.consumer and self._monotonic() - self._registration.renewed_at > lease * (
                1 - 2 / LEASE_CHECKS
            ):
                self._log.event(Event.LEASE_EXPIRING, consumer=self._acquiring.consumer)
                self._acquiring.consumer = ""
                self._runs.cancel_all("lost")

    async def _probe_redis(self) -> None:
        """While a breaker is open because Redis did not answer, test whether it does again."""
        while True:
            await asyncio.sleep(PROBE_EVERY)
            if not any(breaker.wants_probe(self._monotonic()) for breaker in self._breakers.values()):
                continue
            with suppress(RedisTrouble):
                await self._side.probe()
                for breaker in self._breakers.values():
                    breaker.answered(self._monotonic())
                self._wake.set()

    async def _cancel_overdue(self) -> None:
        terms = self._spec.cleanup.zombies
        while terms.enabled:
            await asyncio.sleep(terms.every.seconds)
            started = self._monotonic()
            self._runs.scan()
            self._metrics.passes["zombies"].observe(self._monotonic() - started)

    # -- the drain ----------------------------------------------------------------------------------------------------

    async def _drain(self, lease: SideTask) -> int:
        terms, started = self._spec.shutdown, self._monotonic()
        end = started + max(RESERVE, terms.grace.seconds - RESERVE)
        self._dependencies.readiness.hold(NotReady.DRAINING)
        self._metrics.draining.set(1)
        self._log.event(Event.DRAIN_STARTED, running=len(self._runs), grace=str(terms.grace))
        self._parts.cancel(but=("settler",))
        self._runs.cancel_all("drain")
        await self._runs_ended(min(end, started + terms.cancel.seconds))
        if len(self._runs):
            self._log.event(Event.DRAIN_STUCK, running=len(self._runs))
            await self._runs_ended(min(end, self._monotonic() + terms.force.seconds))
        left = self._runs.leave_behind(max(RESERVE, end - self._monotonic()) + CLOSING)
        self._parts.cancel()
        await self._parts.ended()
        unsettled = await self._close(lease, max(RESERVE, end - self._monotonic()))
        seconds = round(self._monotonic() - started, 3)
        if left or unsettled:
            self._log.event(Event.DRAIN_INCOMPLETE, left_behind=left, unsettled=unsettled, seconds=seconds)
            return 1
        self._log.event(Event.DRAIN_FINISHED, seconds=seconds)
        return 0

    async def _runs_ended(self, until: float) -> None:
        while len(self._runs) and self._monotonic() < until:
            self._runs.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._runs.changed.wait(), max(0.0, until - self._monotonic()))

    async def _close(self, lease: SideTask, within: float) -> int:
        """Hand back what is left, and deregister; return how many runs could not be handed back in time."""
        lease.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._settler.empty()
        with suppress(TimeoutError, RedisTrouble):
            async with asyncio.timeout(RESERVE):
                # What could not be handed back is due again when the lease expires.
                if self._registration.consumer and not self._settler.unsettled:
                    await self._side.lease(self._registration.consumer, 0, "end")
                await self._orphans.give_up()
        try:
            async with asyncio.timeout(RESERVE):
                await self._calls.close()
        except Exception as error:  # noqa: BLE001 - all jobs are handed back already
            self._log.event(Event.LIFESPAN_EXIT_FAILED, error)
        *links, lease_link = self._links
        closing = self._dependencies.side.start(lease_link.close())
        for link in links:
            await link.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(RESERVE):
                while not closing.done():  # noqa: ASYNC110 - another loop runs it, which cannot set an event of this loop
                    await asyncio.sleep(BUSIEST)
        return self._settler.unsettled
