"""Runs the messages of one pipeline in a pod, from start to drain."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from penstock.handling.calling import call_of
from penstock.handling.load import Handler
from penstock.handling.retry_policy import RetryPolicy
from penstock.isolation.spawner import Spawner
from penstock.maintenance.eviction import eviction_policy
from penstock.maintenance.group import ensure_group
from penstock.maintenance.measure import measure
from penstock.maintenance.replies import number
from penstock.message.encoding import Encoding
from penstock.observe.events import Activity, Event
from penstock.observe.logs import Log
from penstock.observe.readiness import NotReady
from penstock.observe.redis_log import RedisLog
from penstock.observe.spans import Spans
from penstock.observe.throttle import Throttle
from penstock.pod.dependencies import Dependencies, SideTask
from penstock.pod.lease import Lease
from penstock.pod.lease_term import LeaseTerm
from penstock.pod.parts import Parts
from penstock.resolved import ResolvedPipeline
from penstock.scripts import script
from penstock.wire.errors import RedisTrouble, Refused
from penstock.worker.abandoned import AbandonedHandlers
from penstock.worker.attempts import Attempts
from penstock.worker.audit import Audit
from penstock.worker.context import MessageSettings
from penstock.worker.dead_letter_room import DeadLetterRoom
from penstock.worker.drain import Drain, exit_deadline
from penstock.worker.in_process import InProcessRunner
from penstock.worker.intake import Intake
from penstock.worker.isolated import AloneRunner, IsolatedRunner
from penstock.worker.maintenance_loop import MaintenanceLoop
from penstock.worker.maintenance_reporter import MaintenanceReporter
from penstock.worker.memory import Memory
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.read_size import ReadSize
from penstock.worker.redis_reporter import RedisReporter
from penstock.worker.registration import ConsumerRegistration
from penstock.worker.replication import acknowledges_alone
from penstock.worker.resources import HandlerResources
from penstock.worker.settle_reporter import SettleReporter
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.waits import waits

GAUGES_EVERY = 0.5
LEASE_CHECKS = 20
"""Checks per lease."""
FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0
ACCESS_REFUSED = frozenset({"WRONGPASS", "NOAUTH", "NOPERM"})
"""Errors that end the worker at its start. Later they may pass: a secret is rotated, and its file is read again."""
ACCESS_HINT = "set REDIS_USERNAME and REDIS_PASSWORD; `penstock acl` shows which rights a worker needs"


class Worker:
    """Runs the messages of one pipeline. Create it in the loop in which it runs."""

    def __init__(  # noqa: PLR0913 - its collaborators, each of another type
        self,
        pipeline: ResolvedPipeline,
        handler: Handler,
        encoding: Encoding,
        dependencies: Dependencies,
        *,
        spawner: Spawner,
        memory: Memory,
        term: LeaseTerm | None = None,
        until_idle: bool = False,
    ) -> None:
        """`term` is shared with children; `until_idle`: stop when no message is left."""
        spec = pipeline.spec
        self._until_idle = until_idle
        self._keeps_nothing = spec.stream.retention.keeps_nothing
        self._spec = spec
        self._keys = pipeline.keys
        self._fails_over = pipeline.redis.topology == "sentinel"
        self._dependencies = dependencies
        self._spawner = spawner
        self._log = Log(logging.getLogger("penstock.worker"))
        self._redis_log = RedisLog(self._log, dependencies.clocks.monotonic)
        throttle = Throttle(dependencies.clocks.monotonic)
        self._metrics = WorkerMetrics(dependencies.metrics)
        self._redis = RedisReporter(self._metrics, self._redis_log, dependencies.readiness)
        self._stop = asyncio.Event()
        self._parts = Parts(self._log, self.stop)
        self._loop = asyncio.get_running_loop()
        self._clocks = clocks = dependencies.clocks
        self._term = term = term or LeaseTerm(clocks.monotonic)
        self._expired: str | None = None
        dependencies.readiness.follow(NotReady.LEASE_EXPIRED, term.may_be_over)
        changed = asyncio.Event()
        self._links = [dependencies.link(name) for name in ("reader", "settler", "lease")]
        self._metrics.connections.follow(lambda: sum(link.is_connected for link in self._links))
        reader, commands, lease = self._links
        self._commands = commands
        self._settler = Settler(
            commands,
            self._keys,
            SettleReporter(self._metrics, self._log, self._redis_log),
            deletes=self._keeps_nothing,
            group_gone=self._group_gone,
            changed=changed,
            clocks=clocks,
            room=DeadLetterRoom(commands, self._keys.dead, spec.dead_letter.limit, clocks),
        )
        self._slots = Slots(
            spec.work.concurrency,
            spec.work.max_pending_per_worker,
            self._settler,
            clocks,
            changed,
        )
        dependencies.readiness.follow(NotReady.UNSETTLED, lambda: self._slots.full_of_refused)
        threads = partial(ThreadPoolExecutor, spec.work.concurrency, thread_name_prefix="penstock-handler")
        in_process = InProcessRunner(
            encoding, handler.make, call_of(handler, threads), Spans(spec.name, self._keys.stream, self._keys.group)
        )
        isolated = spec.work.isolation == "process"
        self._resources = HandlerResources(handler, spawner if isolated else None, self._stop, self._log)
        self._stop_requested_at: float | None = None
        self._memory = memory
        runner = IsolatedRunner(spawner, self._log, throttle, alone=False) if isolated else in_process
        abandoned = AbandonedHandlers(self._metrics.abandoned, spec.shutdown.margin.seconds, self._handler_stuck)
        dependencies.readiness.follow(NotReady.STUCK, lambda: abandoned.alone > 0)
        self._attempts = Attempts(
            spec.work,
            MessageSettings.of(spec, clocks, encoding, term.may_be_lost),
            runner,
            IsolatedRunner(spawner, self._log, throttle, alone=True, rests=not isolated),
            runner if isolated else AloneRunner(spawner, in_process),
            RetryPolicy(spec.retries),
            self._settler,
            self._slots,
            self._metrics,
            abandoned,
            self._group_gone,
            self.expired,
            lambda running: memory.room_for_suspects(running, prepared=spawner.prepared),
            max_size=spec.message.max_size,
            term=term,
            rng=dependencies.rng,
            clocks=clocks,
        )
        self._intake = Intake(
            reader,
            commands,
            self._keys,
            self._slots,
            self._attempts,
            self._redis,
            self.expired,
            block=spec.work.block.amount,
            max_attempts=max(one.attempts for one in waits(spec.retries)),
            message=spec.message,
            read_size=ReadSize(spec.message.max_size.amount, memory.read_budget()),
            emptying_takes=spec.work.timeout.amount + spec.work.lease.amount,
            audit=self._audit_now,
            set_back=self._group_set_back,
            term=term,
            clocks=clocks,
        )
        self._audit = Audit(
            commands,
            self._keys,
            self._settler,
            self._attempts.is_running,
            self._intake.in_flight,
            (lambda _: []) if self._keeps_nothing else self._attempts.first_attempts,
        )
        self._auditing: asyncio.Task[None] | None = None
        self._maintenance_reporter = MaintenanceReporter(
            self._redis, self._metrics, self._log, self._keys, self._intake, self._stop_if_idle
        )
        self._maintenance = MaintenanceLoop(commands, self._keys, spec, self._maintenance_reporter, clocks=clocks)
        name = spec.stream.consumer.replace("{hostname}", dependencies.host)
        self._lease = Lease(
            ConsumerRegistration(lease, self._keys),
            name,
            spec.work.lease.amount,
            self,
            self._loop.call_soon_threadsafe,
            new_name=dependencies.new_consumer,
            term=term,
            expired=self.expired,
        )

    def stop(self) -> None:
        """Start the drain."""
        if self._stop_requested_at is None:
            self._stop_requested_at = self._clocks.monotonic()
        self._stop.set()

    @property
    def busy(self) -> int:
        """Handlers that have not ended."""
        return self._attempts.busy

    async def run(self) -> int:
        """Run until `stop`, then until all messages are settled or the grace period is over; return the exit code."""
        try:
            if not await self._connect() or not await self._resources.start():
                return 0
            return await self._run_until_drained()
        finally:
            with suppress(Exception):
                async with asyncio.timeout(self._seconds_left):
                    await self._spawner.close()
            await self._resources.close(min(self._seconds_left, self._spec.shutdown.margin.seconds))
            for link in self._links:
                await link.close()

    @property
    def _seconds_left(self) -> float:
        """Seconds until this process must have ended."""
        now = self._clocks.monotonic()
        started = now if self._stop_requested_at is None else self._stop_requested_at
        return max(0.0, exit_deadline(self._spec.shutdown, started) - now)

    async def _connect(self) -> bool:
        """Wait for Redis, which may be unreachable when a pod starts; False if the worker was stopped meanwhile."""
        wait = FIRST_WAIT
        while not self._stop.is_set():
            try:
                self._maintenance_reporter.ensured(await ensure_group(self._commands, self._keys, self._spec))
                if policy := await eviction_policy(self._commands):
                    self._log.event(Event.REDIS_EVICTS, policy=policy)
                if self._fails_over and await acknowledges_alone(self._commands):
                    self._log.event(Event.REDIS_UNREPLICATED)
            except RedisTrouble as error:
                if isinstance(error, Refused) and error.code in ACCESS_REFUSED:
                    raise CannotGoOn(f"Redis refuses the connection: {error}", ACCESS_HINT) from error
                self._dependencies.readiness.hold(NotReady.REDIS_ABSENT)
                self._metrics.trouble(error)
                self._redis_log.trouble(Activity.CONNECTING, error)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), wait)
                wait = min(2 * wait, LONGEST_WAIT)
            else:
                self._redis_log.works(Activity.CONNECTING)
                self._dependencies.readiness.release(NotReady.REDIS_ABSENT)
                return True
        return False

    async def _run_until_drained(self) -> int:
        intake = self._parts.start("intake", self._intake.run())
        settler = self._parts.start("settler", self._settler.run())
        maintenance = self._parts.start("maintenance", self._maintenance.run())
        self._parts.start("gauges", self._gauges())
        lease = self._dependencies.side.start(self._lease.run())
        watch = self._parts.start("lease", self._watch_lease(lease))

        async def deregister() -> bool:
            watch.cancel()
            lease.cancel()  # or it would register another consumer
            return await self._deregister()

        try:
            await self._stop.wait()
            if settler.done():  # no message can be settled: others take over when the lease expires
                return self._parts.exit_code(1)
            drain = Drain(
                self._spec.shutdown,
                self._intake,
                self._attempts,
                self._settler,
                self._metrics,
                self._log,
                clocks=self._clocks,
            )
            self._dependencies.readiness.hold(NotReady.DRAINING)
            return self._parts.exit_code(await drain.run(intake, maintenance, deregister))
        finally:
            lease.cancel()
            self._parts.cancel()
            await self._parts.ended()

    def _handler_stuck(self) -> None:
        """End this process: a handler that must run alone ignores its cancellation, and nothing may start beside it."""
        if not self._stop.is_set():
            self._log.event(Event.HANDLER_STUCK, margin=str(self._spec.shutdown.margin))
            self._parts.give_up()

    async def _watch_lease(self, lease: SideTask) -> None:
        """Fail if the task that renews the lease has ended. Notice that the lease may have expired if it is stuck."""
        while True:
            await asyncio.sleep(self._spec.work.lease.seconds / LEASE_CHECKS)
            if lease.done():
                raise lease.exception() or RuntimeError("the task that renews the lease ended")
            if self._attempts.consumer is not None:
                self.expired(self._attempts.consumer)

    async def _deregister(self) -> bool:
        # A consumer whose lease may have expired is still registered, if nobody has taken over.
        consumer, keys = self._attempts.consumer or self._expired, self._keys
        if consumer is None:
            return True
        names = (keys.stream, keys.alive, keys.position)
        return await self._commands.run(script("deregister"), names, (keys.group, consumer, self._metrics.cut_off)) == 1

    async def _gauges(self) -> None:
        metrics, slots = self._metrics, self._slots
        metrics.slots.set(slots.concurrency)
        while True:
            metrics.slots_free.set(max(0, slots.free))
            metrics.running.set(slots.running)
            self._memory.sample(slots.running)
            metrics.unsettled.set(self._settler.unsettled)
            metrics.refused.set(self._settler.kept)
            metrics.at_pending_limit.set(int(slots.free > 0 >= slots.free_for_new))
            metrics.sample(sum(link.connections for link in self._links), self._spawner)
            await asyncio.sleep(GAUGES_EVERY)

    # events of the lease

    def registered(self, consumer: str) -> None:
        """Take messages as this consumer from now on."""
        self._dependencies.process.consumer = consumer
        self._log.event(Event.CONSUMER_JOINED, consumer=consumer)
        self._attempts.consumer = consumer
        self._intake.consumer_joined(consumer)
        self._dependencies.readiness.release(NotReady.STARTING)
        self._dependencies.readiness.release(NotReady.NO_LEASE)
        self._redis_log.works(Activity.RENEWING)

    def renewed(self, consumer: str) -> None:
        """Compare the messages that this worker owns with those that it runs, at each renewal of the lease."""
        self._redis_log.works(Activity.RENEWING)
        if self._expired == consumer:  # nobody has taken over: the lease would have been marked as lost
            self._expired = None
            self._log.event(Event.LEASE_RENEWED_LATE, consumer=consumer)
            self._attempts.consumer = consumer
            self._intake.consumer_joined(consumer)
        if self._auditing is None or self._auditing.done():
            self._auditing = self._parts.start("audit", self._run_audit(consumer))

    def expired(self, consumer: str) -> None:
        """Start nothing as this consumer while its lease may have expired. Does nothing if it cannot have."""
        if self._attempts.consumer != consumer or not self._term.may_be_lost(consumer):
            return
        self._expired = consumer
        self._metrics.lease_expired.add()
        self._log.event(Event.LEASE_EXPIRED, consumer=consumer, running=self._attempts.busy)
        self._leave(consumer)

    def lost(self, consumer: str) -> None:
        """Start nothing more as this consumer: other workers take over its messages."""
        self._expired = None
        self._metrics.lease_lost.add()
        self._log.event(Event.LEASE_LOST, consumer=consumer, running=self._attempts.busy)
        self._dependencies.readiness.hold(NotReady.NO_LEASE)
        self._leave(consumer)
        self._attempts.set_lost(consumer)

    def trouble(self, activity: Activity, error: RedisTrouble) -> None:
        """Report an error of Redis."""
        self._redis.trouble(activity, error)

    def _leave(self, consumer: str) -> None:
        self._intake.consumer_lost(consumer)
        if self._attempts.consumer == consumer:
            self._attempts.consumer = None
        if self._spec.work.when_lost == "cancel":
            self._attempts.cancel_all("lost", consumer)

    # what else happens in Redis

    def _group_gone(self, consumer: str) -> None:
        self._dependencies.side.call(self._lease.abandon, consumer)

    async def _group_set_back(self, delivered: bytes) -> bool:
        state = await ensure_group(self._commands, self._keys, self._spec, delivered)
        self._maintenance_reporter.ensured(state)
        return state == "again"

    async def _audit_now(self) -> None:
        if self._attempts.consumer is not None:
            await self._audit.without_reads(self._attempts.consumer)

    async def _run_audit(self, consumer: str) -> None:
        try:
            strays = await self._audit(consumer)
            if self._slots.parked:
                self._slots.correct_parked(number(await self._commands.call("ZCARD", self._keys.parked)))
        except RedisTrouble as error:
            self._redis.trouble(Activity.COMPARING, error)
        else:
            self._redis.works(Activity.COMPARING)
            if strays:
                self._log.event(Event.MESSAGES_GIVEN_BACK, count=strays)

    async def _stop_if_idle(self) -> None:
        if self._until_idle and await self._is_idle():
            self._log.event(Event.WORKER_IDLE)
            self.stop()

    async def _is_idle(self) -> bool:
        if self._slots.running or self._settler.unsettled:
            return False
        measured = await measure(self._commands, self._keys)
        # If the number of new messages is unknown, there may be some.
        return measured.new(until_done=self._keeps_nothing) == measured.pending == measured.delayed == 0
