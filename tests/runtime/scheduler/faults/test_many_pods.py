"""Many schedulers at once, and calls of acquire that fail again and again."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from event_loop import run_async, until
from in_process_scheduler import pod, spec_of
from patience import HANGS
from targets import Target

from penstock.scheduler.context import JobContext
from penstock.scheduler.job_steps import load
from penstock.scripts import Script
from penstock.wire.command import Argument
from penstock.wire.errors import Refused, Reply, Unanswered
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.effective import EffectiveJob
from penstock_spec.kinds.scheduler.keys import SchedulerKeys

PODS, JOBS, RUNS = 20, 60, 3
REFUSALS = 10_000
HEAD = 5
"""Fields before the jobs in a reply of acquire."""


def test_twenty_schedulers_run_each_job_in_one_place_at_a_time(target: Target) -> None:
    """Every job runs repeatedly, in one pod at a time, and at most once for each second."""
    names = [f"job-{number:02}" for number in range(JOBS)]
    spec = spec_of(
        jobs=[{"name": name, "every": "1s"} for name in names], handler="asyncio:sleep", work={"concurrency": 5}
    )
    running: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    seconds: Counter[tuple[str, int]] = Counter()
    overlapping: list[str] = []

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        running[job.name] += 1
        seconds[job.name, context.due] += 1
        if running[job.name] > 1:
            overlapping.append(job.name)
        await asyncio.sleep(0.02)
        running[job.name] -= 1
        ran[job.name] += 1

    async def scenario() -> list[int]:
        pods = [pod(target, spec, handle, f"pod-{number}") for number in range(PODS)]
        tasks = [asyncio.create_task(one.run()) for one in pods]
        await until(lambda: all(ran[name] >= RUNS for name in names), "each job has run three times")
        for one in pods:
            one.stop()
        return await asyncio.gather(*tasks)

    assert run_async(scenario()) == [0] * PODS
    assert overlapping == []
    assert max(seconds.values()) == 1
    keys = SchedulerKeys.of(spec.keys)
    assert target.ask("ZCARD", keys.waiting) == JOBS
    assert target.ask("ZCARD", keys.working) == target.ask("ZCARD", keys.pods) == 0


class Refusing(Link):
    """Refuses the first calls of acquire."""

    left = REFUSALS

    async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
        if script is load("acquire") and self.left:
            self.left -= 1
            raise Refused("ERR it is a test") if self.left % 2 else TypeError
        return await super().run(script, keys, args)


def test_failing_acquires_hold_no_permits(target: Target) -> None:
    """After ten thousand failures all permits are free, and jobs run."""
    spec = spec_of(
        jobs=[{"name": f"job-{number}", "every": "1s"} for number in range(7)],
        handler="asyncio:sleep",
        work={"concurrency": 7, "interval": "1ms"},
        breakers={"enabled": False},
    )
    ran: Counter[str] = Counter()
    free: list[int] = []

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del context
        ran[job.name] += 1
        await asyncio.sleep(0)

    async def scenario() -> int:
        links: list[Refusing] = []

        def link(name: str) -> Link:
            refusing = target.link(SchedulerKeys.of(spec.keys).waiting, name)
            refusing.__class__ = Refusing
            links.append(refusing)  # type: ignore[arg-type] # its class was changed
            return refusing

        scheduler = pod(target, spec, handle, "pod", link=link)
        task = asyncio.create_task(scheduler.run())
        await until(lambda: links[0].left == 0, "every refusal was made", seconds=HANGS)
        await until(lambda: len(ran) == 7 and min(ran.values()) >= 2, "every job has run twice")
        scheduler.stop()
        code = await task
        free.append(scheduler.permits.free)
        return code

    assert run_async(scenario(), seconds=2 * HANGS) == 0
    assert free == [7]


class LosesReplies(Link):
    """Loses the first replies of acquire; Redis has given the jobs to the pod."""

    left = 3

    async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
        answer = await super().run(script, keys, args)
        if script is load("acquire") and self.left and isinstance(answer, list) and len(answer) > HEAD:
            self.left -= 1
            raise Unanswered("it is a test")
        return answer


def test_jobs_of_an_unanswered_acquire_are_not_stuck(target: Target) -> None:
    """The pod finds the jobs that Redis holds for it, and hands them back long before their deadlines."""
    jobs = [{"name": f"job-{number}", "every": "1s", "timeout": "20m"} for number in range(5)]
    spec = spec_of(jobs=jobs, handler="asyncio:sleep", breakers={"enabled": False})
    ran: Counter[str] = Counter()

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del context
        ran[job.name] += 1

    async def scenario() -> int:
        links: list[LosesReplies] = []

        def link(name: str) -> Link:
            losing = target.link(SchedulerKeys.of(spec.keys).waiting, name)
            losing.__class__ = LosesReplies
            links.append(losing)  # type: ignore[arg-type] # its class was changed
            return losing

        scheduler = pod(target, spec, handle, "pod", link=link)
        task = asyncio.create_task(scheduler.run())
        await until(lambda: len(ran) == 5 and min(ran.values()) >= 2, "every job has run twice")
        assert links[0].left == 0
        scheduler.stop()
        return await task

    assert run_async(scenario()) == 0


def test_an_unsettled_run_does_not_hide_another_of_its_job(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job was handed back and acquired again without a reply to the pod."""
    monkeypatch.setattr("penstock.scheduler.acquiring.UNANSWERED_LASTS", -1)  # it checks once
    remaining = {"complete": 4, "acquire": 1}

    class LosesBothReplies(Link):
        """Loses the first replies of complete, of which one was done, and then one reply of acquire."""

        async def run(self, script: Script, keys: Sequence[str | bytes], args: Sequence[Argument]) -> Reply:
            if script is load("complete") and remaining["complete"]:
                remaining["complete"] -= 1
                if remaining["complete"] == 3:
                    await super().run(script, keys, args)
                raise Unanswered("it is a test")
            answer = await super().run(script, keys, args)
            answered = script is not load("acquire") or remaining["complete"] == 4 or not remaining["acquire"]
            if not answered and isinstance(answer, list) and len(answer) > HEAD:
                remaining["acquire"] -= 1
                raise Unanswered("it is a test")
            return answer

    job = {"name": "job", "every": "1s", "timeout": "20m"}
    spec = spec_of(jobs=[job], handler="asyncio:sleep", breakers={"enabled": False}, recovery={"attempts": 100})
    ran: Counter[str] = Counter()

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        del context
        ran[job.name] += 1

    async def scenario() -> int:
        def link(name: str) -> Link:
            losing = target.link(SchedulerKeys.of(spec.keys).waiting, name)
            losing.__class__ = LosesBothReplies
            return losing

        scheduler = pod(target, spec, handle, "pod", link=link)
        task = asyncio.create_task(scheduler.run())
        await until(lambda: ran["job"] >= 3, "the job has run three times")
        assert remaining == {"complete": 0, "acquire": 0}
        scheduler.stop()
        return await task

    assert run_async(scenario()) == 0
