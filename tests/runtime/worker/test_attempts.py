"""Attempts and their steps stay consistent in situations that no handler can create on demand."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random

import pytest
from event_loop import run_async, until
from logged import events
from pipeline_driver import PipelineDriver
from servers import Server
from targets import Target

from penstock.clocks import CLOCKS
from penstock.handling.exceptions import Retry
from penstock.handling.failures import Failure
from penstock.handling.retry_policy import RetryPolicy
from penstock.keys import READY
from penstock.observe.collector import Collector
from penstock.observe.events import Event
from penstock.observe.metrics import Metrics
from penstock.pod.lease_term import LeaseTerm
from penstock.wire.errors import RedisTrouble
from penstock.worker import attempts as attempts_module
from penstock.worker.abandoned import AbandonedHandlers
from penstock.worker.attempts import Attempts, Runner
from penstock.worker.context import Context, MessageSettings
from penstock.worker.delivery import Buried, Delivery, Parked, Step
from penstock.worker.metrics import WorkerMetrics
from penstock.worker.outcome import Failed, Outcome, Stopped
from penstock.worker.settler import Settler
from penstock.worker.slots import Slots

pytestmark = pytest.mark.wire

ME = "me~01234567"
SLOTS = 4


class Observer:
    """Records the results of steps, by entry."""

    def __init__(self) -> None:
        self.results: dict[bytes, str] = {}

    def _record(self, how: str, steps: Sequence[Step | Delivery]) -> None:
        for one in steps:
            self.results[one.id if isinstance(one, Delivery) else one.delivery.id] = how

    def took(self, steps: Sequence[Step | Delivery], seconds: float) -> None:
        del seconds
        self._record("took", steps)

    def buried(self, one: Buried, dead_letter: str | None) -> None:
        """Ignore the dead letter."""

    def not_buried(self, buried: Buried) -> None:
        """Ignore it: the message is parked."""

    def fenced(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        del name
        self._record("fenced", steps)

    def gone(self, name: str, steps: Sequence[Step | Delivery]) -> None:
        del name
        self._record("gone", steps)

    def refused(self, name: str, error: RedisTrouble, unsettled: int) -> None:
        """Ignore the refusal: the settler keeps the steps."""


class StubRunner:
    """Runs attempts until the test lets them fail."""

    def __init__(self) -> None:
        self.started: list[bytes] = []
        self.fails = asyncio.Event()

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        del context
        self.started.append(delivery.id)
        await self.fails.wait()
        return Failed(Failure.of(Retry(after=600)))


class WorkerPart:
    """The part of a worker between its reads and its steps."""

    def __init__(self, driver: PipelineDriver, runner: Runner | None = None, *, deletes: bool = True) -> None:
        spec = driver.pipeline.spec
        changed = asyncio.Event()
        self.driver = driver
        self.link = driver.link()
        self.observer = Observer()
        self.handles = StubRunner()
        self.settler = Settler(
            self.link,
            driver.keys,
            self.observer,
            deletes=deletes,
            group_gone=lambda _: None,
            changed=changed,
        )
        self.slots = Slots(SLOTS, 100, self.settler, CLOCKS, changed)
        self.term = LeaseTerm()
        self.term.begin(ME, math.inf)
        self.expired: list[str] = []
        metrics = WorkerMetrics(Metrics.of_spec("worker", spec, Collector()))
        self.attempts = Attempts(
            spec.work,
            MessageSettings.of(spec),
            runner or self.handles,
            self.handles,
            self.handles,
            RetryPolicy(spec.retries),
            self.settler,
            self.slots,
            metrics,
            AbandonedHandlers(metrics.abandoned, 600, lambda: None),
            lambda _: None,
            self.expired.append,
            lambda _: 1,
            max_size=spec.message.max_size,
            term=self.term,
            rng=Random(0),  # noqa: S311 - for waits
        )
        self.attempts.consumer = ME

    def owns(self, count: int = 1, uncharged: int = 0) -> Delivery:
        """Deliver a new message to this worker, with this count."""
        keys = self.driver.keys
        entry = str(self.driver.ask("XADD", keys.stream, "*", "data", "{}"))
        self.driver.ask("XREADGROUP", "GROUP", keys.group, ME, "STREAMS", keys.stream, ">")
        return self.again(entry, count, uncharged)

    def again(self, entry: str, count: int, uncharged: int) -> Delivery:
        """Deliver an entry again, with uncharged deliveries after a forced claim."""
        keys = self.driver.keys
        self.driver.ask("XCLAIM", keys.stream, keys.group, ME, 0, entry, "RETRYCOUNT", count, "JUSTID")
        if uncharged:
            self.driver.ask("HSET", keys.uncharged, entry, uncharged)
        return Delivery(entry.encode(), (b"data", b"{}"), ME, count, uncharged, READY if count > 1 else "")


@asynccontextmanager
async def worker_part(
    where: Target | Server, runner: Runner | None = None, *, deletes: bool = True
) -> AsyncIterator[WorkerPart]:
    """Run the part on a stream with a group."""
    driver = PipelineDriver(where)
    driver.ask("XGROUP", "CREATE", driver.keys.stream, driver.keys.group, "0", "MKSTREAM")
    part = WorkerPart(driver, runner, deletes=deletes)
    runs = asyncio.create_task(part.settler.run())
    try:
        yield part
    finally:
        runs.cancel()
        await asyncio.gather(runs, return_exceptions=True)
        await part.link.close()


@pytest.mark.parametrize("why", ["lost", "drain", "timeout"])
def test_an_attempt_cancelled_before_its_first_step_never_starts(target: Target, why: str) -> None:
    """A lease may be lost between a read and the first step of its attempts: nothing starts, and no slot is lost."""

    async def scenario() -> None:
        async with worker_part(target) as part:
            part.attempts.deliver(part.owns())
            assert part.slots.running == 1
            part.attempts.cancel_all(why)  # type: ignore[arg-type] # one of the three
            await until(lambda: not part.attempts.running, "the attempt has ended")
            assert (part.slots.running, part.handles.started) == (0, [])
            await part.settler.empty()
            assert list(part.observer.results.values()) == ([] if why == "lost" else ["took"])

    run_async(scenario())


@pytest.mark.parametrize("consumer", [ME, "me~89abcdef"], ids=["the lease is over", "another consumer has begun"])
def test_an_attempt_whose_lease_may_have_expired_never_starts(target: Target, consumer: str) -> None:
    """A process may be suspended between a delivery and its first step; others may have the message by then."""

    async def scenario() -> None:
        async with worker_part(target) as part:
            delivery = part.owns()
            part.attempts.deliver(delivery)
            part.term.begin(consumer, -math.inf if consumer == ME else math.inf)
            await until(lambda: not part.attempts.running, "the attempt has ended")
            assert (part.slots.running, part.handles.started) == (0, [])
            assert part.expired == [ME]
            await part.settler.empty()
            assert part.observer.results == {delivery.id: "took"}
            assert part.driver.ready == [delivery.id.decode()]
            assert part.driver.ask("HGET", part.driver.keys.uncharged, delivery.id) == "1@1"

    run_async(scenario())


class ThreadRunner:
    """Runs attempts in threads that end when the test lets them, as plain functions do."""

    def __init__(self) -> None:
        self.thread: asyncio.Future[object] = asyncio.get_running_loop().create_future()

    async def run(self, delivery: Delivery, context: Context) -> Outcome:
        del delivery, context
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Stopped(self.thread)
        raise AssertionError


@pytest.mark.parametrize("patience", [0.0, 600.0])
def test_a_plain_function_has_time_to_end_before_it_is_logged(
    target: Target, patience: float, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It sees its cancellation at its next check. Its message goes on at once, and it keeps its slot meanwhile."""
    monkeypatch.setattr(attempts_module, "PATIENCE", patience)

    def logged() -> bool:
        return Event.HANDLER_ABANDONED in events(caplog)

    async def scenario() -> None:
        runner = ThreadRunner()
        async with worker_part(target, runner) as part:
            part.attempts.deliver(part.owns())
            await asyncio.sleep(0)
            part.attempts.cancel_all("drain")
            await until(lambda: not part.attempts.running, "the message is given back")
            assert (part.slots.running, part.attempts.has_abandoned) == (1, True)
            if not patience:
                await until(logged, "the line is logged")
            runner.thread.set_result(None)
            await until(lambda: part.slots.running == 0, "the slot is free")
            assert not part.attempts.has_abandoned

    run_async(scenario())
    assert logged() == (not patience)


@pytest.mark.parametrize(
    ("held", "again"),
    [
        ((1, 0), [(2, 0), (3, 0)]),
        ((1, 0), [(1001, 1000)]),
        ((1, 0), [(1001, 1000), (2001, 2000), (2002, 2000)]),
        ((3, 0), [(1001, 1000)]),
        ((5, 2), [(6, 2)]),
    ],
    ids=["twice", "forced", "forced twice", "the third, forced", "the third"],
)
def test_a_second_delivery_is_the_same_attempt(
    target: Target, held: tuple[int, int], again: list[tuple[int, int]]
) -> None:
    """The number of the attempt stays, with any delivery count; after parking, Redis counts the same."""

    async def scenario() -> None:
        async with worker_part(target) as part:
            delivery = part.owns(*held)
            attempt = delivery.attempt
            part.attempts.deliver(delivery)
            for count, uncharged in again:
                part.attempts.deliver(part.again(delivery.id.decode(), count, uncharged))
                [present] = part.attempts.running.values()
                assert (present.delivery.attempt, present.delivery.count) == (attempt, count)
            part.handles.fails.set()
            await until(lambda: part.observer.results, "the message is parked")
            assert part.observer.results == {delivery.id: "took"}
            recorded = part.driver.ask("HGET", part.driver.keys.uncharged, delivery.id)
            assert again[-1][0] - int(str(recorded).partition("@")[0]) == attempt

    run_async(scenario())


@pytest.mark.parametrize("uncharged", [True, False])
def test_a_recovered_message_is_charged_as_if_it_had_been_parked(target: Target, *, uncharged: bool) -> None:
    """Its consumer was deleted before it could be parked, in a stream that keeps history."""

    async def scenario() -> None:
        async with worker_part(target, deletes=False) as part:
            keys, delivery = part.driver.keys, part.owns()
            part.driver.ask("ZADD", keys.alive, part.driver.now() + 60_000, ME)
            part.driver.ask("XGROUP", "DELCONSUMER", keys.stream, keys.group, ME)
            part.settler.add(Parked(delivery, 5_000, "", uncharged=uncharged))
            await part.settler.empty()
            assert part.driver.ready == [delivery.id.decode()]
            record = f"{1000 - (not uncharged)}@1000"
            assert part.driver.ask("HGET", keys.uncharged, delivery.id) == record

    run_async(scenario())


def test_a_step_that_is_always_refused_delays_no_other(target: Target) -> None:
    """Other messages are settled at once while a dead letter is refused, which takes no slot from them."""

    async def scenario() -> None:
        async with worker_part(target) as part:
            keys = part.driver.keys
            part.driver.ask("SET", keys.dead, "another value")
            dead = part.owns()
            part.settler.add(Buried(dead, "failed", "ValueError"))
            await until(lambda: part.settler.kept == 1, "Redis refuses the step")
            for _ in range(100):
                done = part.owns()
                part.settler.settle(done)
                assert part.slots.free == SLOTS
                await until(lambda done=done: part.observer.results.get(done.id) == "took", "the message is settled")  # type: ignore[misc] # a loop variable
            assert part.settler.unsettled_deliveries() == {(ME, dead.id, 1)}
            part.driver.ask("DEL", keys.dead)
            await part.settler.empty()
            assert part.observer.results[dead.id] == "took"
            assert part.slots.free == SLOTS

    run_async(scenario())


def test_steps_for_an_emptied_redis_are_reported_as_gone(server: Server) -> None:
    """Steps that were never sent did not happen, and without the group nothing is pending."""

    async def scenario() -> None:
        async with worker_part(server) as part:
            dead, done = part.owns(), part.owns()
            server.stop()
            part.settler.add(Buried(dead, "failed", "ValueError"))
            part.settler.settle(done)
            await until(lambda: part.settler.kept == 2, "both steps are kept")
            server.start()
            server.flush()
            await part.settler.empty()
            assert part.observer.results == {dead.id: "gone", done.id: "gone"}

    run_async(scenario())
