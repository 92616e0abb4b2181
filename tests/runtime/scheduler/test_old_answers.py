"""A pod that stood still between a call and its answer: others may hold its jobs by now."""

import asyncio
import time
from typing import Any

import pytest
from event_loop import run_async, until
from in_process_scheduler import pod, spec_of
from targets import Target

from penstock.clocks import Clocks
from penstock.scheduler.context import JobContext
from penstock.scheduler.job_steps import AcquireResult, JobSteps
from penstock.scheduler.redis_time import RedisTime
from penstock_spec.kinds.scheduler.effective import EffectiveJob


@pytest.mark.parametrize(("lease", "stood"), [("60s", 5.0), ("10s", 5.0)], ids=["past its deadline", "its lease"])
def test_jobs_of_a_late_answer_are_not_started(
    target: Target, monkeypatch: pytest.MonkeyPatch, lease: str, stood: float
) -> None:
    """It goes back, and is taken anew."""
    timeout = "4s" if lease == "60s" else "1h"
    jobs = [{"name": "job", "every": "1h", "timeout": timeout}]
    spec = spec_of(jobs=jobs, handler="asyncio:sleep", work={"lease": lease})
    ran: list[int] = []
    given: list[int] = []
    later = 0.0

    acquire = JobSteps.acquire

    async def sleeps(self: JobSteps, *words: Any, **more: Any) -> AcquireResult | None:  # noqa: ANN401 - as it has them
        nonlocal later
        took = await acquire(self, *words, **more)
        for one in took.jobs if took is not None else ():
            given.append(one.fence)
            later += stood if len(given) == 1 else 0
        return took

    monkeypatch.setattr(JobSteps, "acquire", sleeps)

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del job
        ran.append(context.fence)

    async def scenario() -> int:
        one = pod(target, spec, handle, "pod", clocks=Clocks(monotonic=lambda: time.monotonic() + later))
        task = asyncio.create_task(one.run())
        await until(lambda: bool(ran), "it runs")
        one.stop()
        return await task

    assert run_async(scenario()) == 0
    assert len(given) >= 2
    assert ran == [given[1]]


def test_a_late_answer_does_not_correct_redis_time() -> None:
    """The last measurement stays: monotonic time went on while the pod stood still."""
    now = 100.0
    redis_time = RedisTime(Clocks(monotonic=lambda: now), 10)
    redis_time.correct(5_000_000, asked=90.0)
    assert redis_time.now() == 5000.0, "the first is better than none"
    now = 160.0
    redis_time.correct(5_001_000, asked=100.5)
    assert (redis_time.now(), redis_time.is_stale) == (5060.0, True)
    redis_time.correct(5_059_000, asked=159.5)
    assert (redis_time.now(), redis_time.is_stale) == (5059.0, False)
