"""Ended runs that Redis did not accept: kept, retried while the breaker is closed, and never lost."""

import asyncio
from collections.abc import Sequence

import pytest
from event_loop import run_async, until
from job_steps import KEYS, JobDriver
from targets import Target

from penstock.clocks import Clocks
from penstock.observe.board import Board
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


class Deaf(JobSteps):
    """Does what it is told, and says so only from the nth time on."""

    unanswered = 0

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        answers = await super().complete(runs)
        if self.unanswered:
            self.unanswered -= 1
            raise Unanswered("it is a test")
        return answers


class Odd(JobSteps):
    """Is answered as by no script of ours, so often."""

    odd = 1

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        answers = await super().complete(runs)
        self.odd -= 1
        return answers if self.odd < 0 else answers[1:]


class Held:
    """A settler over a link that loses answers, on a clock of the test's own."""

    def __init__(self, link: Link, unanswered: int, **breakers: object) -> None:
        self.now = 0.0
        self.steps = Deaf(link, KEYS)
        self.steps.unanswered = unanswered
        self.breaker = BatchBreaker(Breakers.model_validate(breakers))
        board = Board()
        metrics = Metrics.of("scheduler", pipeline="held", board=board, given={"class": ["-"]})
        self.tally = SchedulerMetrics(metrics)
        self.settler = RunSettler(self.steps, self.breaker, TRIES, 500, self.tally, Clocks(monotonic=lambda: self.now))

    async def once(self, *taken: AcquiredJob) -> None:
        """They end, and are handed back once."""
        for one in taken:
            self.settler.put(EndedRun(one.name, one.score, one.due + 60, b"{}"))
        items = [self.settler._queue.popleft() for _ in taken]  # noqa: SLF001 - one turn of its loop
        await self.settler._settle(items)  # noqa: SLF001 - as above


def taken(target: Target, jobs: int = 2) -> list[AcquiredJob]:
    with JobDriver(target.link(KEYS.waiting)) as driver:
        driver.begin("pod~1")
        driver.register(*(f"job-{number}" for number in range(jobs)))
        return driver.acquire("pod~1")


def test_a_run_that_was_not_accepted_is_retried(target: Target) -> None:
    """Once a cycle; the reply that was lost comes with the retry, and nothing happens twice."""
    runs = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 2)
        await held.once(*runs)
        assert (held.settler.unsettled, held.tally.recoveries["true"].value) == (2, 0)
        await held.settler.recover()
        assert (held.settler.unsettled, held.tally.recoveries["false"].value) == (2, 2)
        await held.settler.recover()
        assert (held.settler.unsettled, held.tally.recoveries["true"].value) == (0, 2)
        assert held.tally.fenced["complete"].value == held.tally.exhausted.value == 0
        await link.close()

    run_async(scenario())


def test_after_three_tries_it_is_left_to_the_next_refresh(target: Target) -> None:
    """The refresh retries it; a long outage of Redis loses no job."""
    runs = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 1 + TRIES, failures=100)
        await held.once(*runs)
        for _ in range(TRIES):
            await held.settler.recover()
        assert (held.tally.exhausted.value, held.settler.unsettled) == (2, 2)
        await held.settler.recover()
        assert held.settler.unsettled == 2
        held.settler.retry_exhausted()
        await held.settler.recover()
        assert held.settler.unsettled == 0
        await link.close()

    run_async(scenario())


def test_an_open_breaker_stops_retries(target: Target) -> None:
    """Runs that end meanwhile are kept without an attempt; retries begin once it is closed."""
    runs = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 1, failures=1)
        await held.once(runs[0])
        assert held.breaker.state(held.now) is BreakerState.OPEN
        await held.once(runs[1])
        await held.settler.recover()
        held.now = 30
        await held.settler.recover()
        assert (held.settler.unsettled, held.tally.recoveries["false"].value) == (2, 0)
        assert held.breaker.state(held.now) is BreakerState.HALF_OPEN
        held.now = 35
        await held.settler.recover()
        assert held.settler.unsettled == 0
        await link.close()

    run_async(scenario())


def test_a_draining_pod_ignores_the_breaker(target: Target) -> None:
    """There is no later attempt."""
    runs = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 1, failures=1)
        await held.once(*runs)
        await held.settler.empty()
        assert held.settler.unsettled == 0
        await link.close()

    run_async(scenario())


def test_a_batch_that_is_cancelled_half_way_loses_no_run(target: Target) -> None:
    """Some runs ended, others were stopped: cancelled during the first call, the second is made later."""
    ended, stopped = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 0)
        held.settler.put(EndedRun(ended.name, ended.score, ended.due + 60, b"{}"))
        held.settler.put(EndedRun(stopped.name, stopped.score, stopped.due, None))
        task = asyncio.create_task(held.settler.run())
        while not held.settler._in_progress:  # noqa: SLF001, ASYNC110 - the moment that is meant, of which nobody tells
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert held.settler.unsettled == 2
        await held.settler.empty()
        await link.close()

    run_async(scenario())
    with JobDriver(target.link(KEYS.waiting)) as driver:
        left = driver.state()
    assert (set(left.waiting), left.working) == ({ended.name, stopped.name}, {})


def test_a_call_with_an_invalid_reply_is_repeated(target: Target) -> None:
    """No run is lost, the settler goes on, and the breaker counts a failure."""
    runs = taken(target)

    async def scenario() -> None:
        held = Held(link := target.link(KEYS.waiting), 0)
        settler = RunSettler(Odd(link, KEYS), held.breaker, TRIES, 500, held.tally, Clocks(monotonic=lambda: held.now))
        task = asyncio.create_task(settler.run())
        for one in runs:
            settler.put(EndedRun(one.name, one.score, one.due + 60, b"{}"))
        await until(lambda: len(settler._recovering) == 2, "they are held")  # noqa: SLF001 - of that nobody tells
        assert not task.done()
        await settler.recover()
        assert (settler.unsettled, held.tally.recoveries["true"].value) == (0, 2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await link.close()

    run_async(scenario())
