"""A pod was stopped between a call and its reply: by then others may hold its jobs."""

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


@pytest.mark.parametrize(("lease", "pause"), [("60s", 5.0), ("10s", 5.0)], ids=["past its deadline", "past its lease"])
def test_jobs_of_a_late_reply_are_not_started(
    target: Target, monkeypatch: pytest.MonkeyPatch, lease: str, pause: float
) -> None:
    """They are handed back and acquired again."""
    timeout = "4s" if lease == "60s" else "1h"
    jobs = [{"name": "job", "every": "1h", "timeout": timeout}]
    spec = spec_of(jobs=jobs, handler="asyncio:sleep", work={"lease": lease})
    ran: list[int] = []
    fences: list[int] = []
    offset = 0.0

    acquire = JobSteps.acquire

    async def acquire_late(self: JobSteps, *args: Any, **kwargs: Any) -> AcquireResult | None:  # noqa: ANN401 - passed on unchanged
        nonlocal offset
        result = await acquire(self, *args, **kwargs)
        for one in result.jobs if result is not None else ():
            fences.append(one.fence)
            offset += pause if len(fences) == 1 else 0
        return result

    monkeypatch.setattr(JobSteps, "acquire", acquire_late)

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del job
        ran.append(context.fence)

    async def scenario() -> int:
        scheduler = pod(target, spec, handle, "pod", clocks=Clocks(monotonic=lambda: time.monotonic() + offset))
        task = asyncio.create_task(scheduler.run())
        await until(lambda: bool(ran), "the job runs")
        scheduler.stop()
        return await task

    assert run_async(scenario()) == 0
    assert len(fences) >= 2
    assert ran == [fences[1]]


def test_a_late_reply_does_not_correct_redis_time() -> None:
    """The last measurement stays, as monotonic time went on during the pause."""
    now = 100.0
    redis_time = RedisTime(Clocks(monotonic=lambda: now))
    redis_time.correct(5_000_000, sent=90.0)
    assert redis_time.now() == 5000.0, "the first measurement always counts"
    now = 160.0
    redis_time.correct(5_001_000, sent=100.5)
    assert redis_time.now() == 5060.0
    redis_time.correct(5_059_000, sent=159.5)
    assert redis_time.now() == 5059.0
