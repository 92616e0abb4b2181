"""A run that Redis did not accept is kept and retried while the breaker is closed, and never lost."""

import asyncio
from collections.abc import Sequence

import pytest
from event_loop import run_async, until
from job_steps import KEYS, JobDriver
from targets import Target

from penstock.clocks import Clocks
from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.scheduler.breaker import BatchBreaker, BreakerState
from penstock.scheduler.job_steps import AcquiredJob, EndedRun, JobAnswer, JobSteps
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.settler import RunSettler
from penstock.wire.errors import Unanswered
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.work import Breakers

pytestmark = pytest.mark.wire

TRIES = 3


class LosesReplies(JobSteps):
    """Makes each call, and loses the first replies."""

    unanswered = 0

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        answers = await super().complete(runs)
        if self.unanswered:
            self.unanswered -= 1
            raise Unanswered("it is a test")
        return answers


class InvalidReply(JobSteps):
    """Gets one reply that no script of Penstock gives."""

    invalid = 1

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        answers = await super().complete(runs)
        self.invalid -= 1
        return answers if self.invalid < 0 else answers[1:]


class LossySettler:
    """A settler over a link that loses replies, with a clock of the test."""

    def __init__(self, link: Link, unanswered: int, **breakers: object) -> None:
        self.now = 0.0
        self.steps = LosesReplies(link, KEYS)
        self.steps.unanswered = unanswered
        self.breaker = BatchBreaker(Breakers.model_validate(breakers))
        collector = Collector()
        exported = Metrics.of("scheduler", pipeline="held", collector=collector, given={"class": ["-"]})
        self.metrics = SchedulerMetrics(exported)
        self.clocks = Clocks(monotonic=lambda: self.now)
        self.settler = RunSettler(self.steps, self.breaker, TRIES, 500, self.metrics, self.clocks)

    async def once(self, *jobs: AcquiredJob) -> None:
        """End the runs of these jobs, and hand them back once."""
        for one in jobs:
            self.settler.put(EndedRun(one.name, one.score, one.due + 60, b"{}"))
        items = [self.settler._queue.popleft() for _ in jobs]  # noqa: SLF001 - one turn of its loop
        await self.settler._settle(items)  # noqa: SLF001 - as above


def acquired(target: Target, jobs: int = 2) -> list[AcquiredJob]:
    with JobDriver(target.link(KEYS.waiting)) as driver:
        driver.begin("pod~1")
        driver.register(*(f"job-{number}" for number in range(jobs)))
        return driver.acquire("pod~1")


def test_a_run_that_was_not_accepted_is_retried(target: Target) -> None:
    """Once a cycle; the retry gets the lost reply, and changes nothing twice."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 2)
        await tested.once(*runs)
        assert (tested.settler.unsettled, tested.metrics.recoveries["true"].value) == (2, 0)
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["false"].value) == (2, 2)
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["true"].value) == (0, 2)
        assert tested.metrics.fenced["complete"].value == tested.metrics.exhausted.value == 0
        await link.close()

    run_async(scenario())


def test_after_three_attempts_the_next_refresh_retries(target: Target) -> None:
    """A long outage of Redis loses no job."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 1 + TRIES, failures=100)
        await tested.once(*runs)
        for _ in range(TRIES):
            await tested.settler.recover()
        assert (tested.metrics.exhausted.value, tested.settler.unsettled) == (2, 2)
        await tested.settler.recover()
        assert tested.settler.unsettled == 2
        tested.settler.retry_exhausted()
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["true"].value) == (0, 2)
        await link.close()

    run_async(scenario())


def test_an_open_breaker_stops_retries(target: Target) -> None:
    """Later runs are kept without an attempt. After the cool-down, retries are the probe that closes it."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 1, failures=1)
        await tested.once(runs[0])
        assert tested.breaker.state(tested.now) is BreakerState.OPEN
        await tested.once(runs[1])
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["false"].value) == (2, 0)
        tested.now = 30
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["true"].value) == (0, 1)
        assert tested.breaker.state(tested.now) is BreakerState.HALF_OPEN
        tested.now = 35
        assert tested.breaker.state(tested.now) is BreakerState.CLOSED
        await link.close()

    run_async(scenario())


def test_a_half_open_breaker_is_probed_without_a_run(target: Target) -> None:
    """It closes although no run ends for hours; runs whose attempts were used up do not wait for the refresh."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 1 + TRIES, failures=1 + TRIES)
        await tested.once(*runs)
        for _ in range(TRIES):
            await tested.settler.recover()
        assert (tested.breaker.state(tested.now), tested.metrics.exhausted.value) == (BreakerState.OPEN, 2)
        tested.now = 30
        await tested.settler.recover()
        assert (tested.settler.unsettled, tested.metrics.recoveries["true"].value) == (0, 2)
        tested.now = 35
        tested.breaker.failed(35, 35, Unanswered("it is a test"))
        for _ in range(TRIES):
            tested.breaker.failed(35, 35, Unanswered("it is a test"))
        tested.now = 65
        await tested.settler.recover()
        tested.now = 70
        assert tested.breaker.state(tested.now) is BreakerState.CLOSED
        await link.close()

    run_async(scenario())


def test_a_draining_pod_ignores_the_breaker(target: Target) -> None:
    """There is no later attempt."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 1, failures=1)
        await tested.once(*runs)
        await tested.settler.empty()
        assert tested.settler.unsettled == 0
        await link.close()

    run_async(scenario())


def test_a_batch_that_is_cancelled_half_way_loses_no_run(target: Target) -> None:
    """It has ended and stopped runs: cancelled during the first call, the second is made later."""
    ended, stopped = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 0)
        tested.settler.put(EndedRun(ended.name, ended.score, ended.due + 60, b"{}"))
        tested.settler.put(EndedRun(stopped.name, stopped.score, stopped.due, None))
        task = asyncio.create_task(tested.settler.run())
        while not tested.settler._in_progress:  # noqa: SLF001, ASYNC110 - no event marks this moment
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert tested.settler.unsettled == 2
        await tested.settler.empty()
        await link.close()

    run_async(scenario())
    with JobDriver(target.link(KEYS.waiting)) as driver:
        state = driver.state()
    assert (set(state.waiting), state.working) == ({ended.name, stopped.name}, {})


def test_a_call_with_an_invalid_reply_is_repeated(target: Target) -> None:
    """No run is lost, the settler continues, and the breaker counts a failure."""
    runs = acquired(target)

    async def scenario() -> None:
        tested = LossySettler(link := target.link(KEYS.waiting), 0)
        settler = RunSettler(InvalidReply(link, KEYS), tested.breaker, TRIES, 500, tested.metrics, tested.clocks)
        task = asyncio.create_task(settler.run())
        for one in runs:
            settler.put(EndedRun(one.name, one.score, one.due + 60, b"{}"))
        await until(lambda: len(settler._recovering) == 2, "both runs are kept for a retry")  # noqa: SLF001 - not exported
        assert not task.done()
        await settler.recover()
        assert (settler.unsettled, tested.metrics.recoveries["true"].value) == (0, 2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await link.close()

    run_async(scenario())
