"""Each pass has a time budget; the next pass continues where the budget ended."""

import asyncio
from collections.abc import Callable
from functools import partial
from random import Random

from event_loop import run_async, until
from http_probes import numbers, until_counted
from in_process_scheduler import Given, spec_of
from job_steps import KEYS as OF_MOVES
from scheduler_processes import KEYS, Schedule
from servers import wait_for
from targets import Target

from penstock.clocks import Clocks
from penstock.observe.collector import Collector
from penstock.observe.metrics import Metrics
from penstock.scheduler.breaker import BatchBreaker
from penstock.scheduler.context import JobContext
from penstock.scheduler.due_times import plan_run
from penstock.scheduler.job_steps import AcquiredJob, JobSteps
from penstock.scheduler.metrics import SchedulerMetrics
from penstock.scheduler.permits import Permits
from penstock.scheduler.redis_time import RedisTime
from penstock.scheduler.runs import JobRuns
from penstock.scheduler.settler import RunSettler
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs

MANY = 1000
"""One step handles a quarter of these jobs, and takes more than a millisecond."""
HANDLERS = f"""\
async def handle(job, context):
    pass

def jobs():
    return [f"job-{{number:04}}" for number in range({MANY})]
"""
SPEC = """\
jobs: "handlers:jobs"
each: {cron: "0 3 1 1 *"}
"""
FAR_FUTURE = 4_000_000_000
"""A later second than the due time of any job."""


def only_its_jobs(repo: Schedule) -> bool:
    return repo.number("ZCARD", KEYS.waiting) == MANY


def test_refreshes_register_all_jobs_step_by_step(schedule: Callable[..., Schedule]) -> None:
    """Each pass continues where the last one was cut off, so that every job has its turn."""
    with schedule(handlers=HANDLERS, spec=SPEC + "refresh: {every: 1s, budget: 1ms}\n") as repo:
        pod = repo.pod()
        wait_for(partial(only_its_jobs, repo), "all jobs are registered")
        until_counted(pod, "scheduler_registered", MANY)
        assert numbers(pod).of("scheduler_passes_cut_off", what="refresh") >= 3
        assert pod.end() == 0


def test_cleanups_inspect_all_jobs_step_by_step(schedule: Callable[..., Schedule]) -> None:
    """The entries to remove lie behind those that one pass inspects."""
    with schedule(
        handlers=HANDLERS, spec=SPEC + "work: {lease: 10s}\ncleanup: {orphans: {every: 1s, budget: 1ms}}\n"
    ) as repo:
        repo.ask("ZADD", KEYS.waiting, *(value for n in range(10) for value in (FAR_FUTURE, f"foreign-{n}")))
        pod = repo.pod()
        until_counted(pod, "scheduler_registered", MANY)
        wait_for(partial(only_its_jobs, repo), "the foreign entries are removed")
        until_counted(pod, "scheduler_orphans_removed", 10, why="unknown")
        wait_for(lambda: numbers(pod).of("scheduler_passes_cut_off", what="orphans") >= 1, "a pass was cut off")
        assert pod.end() == 0


def test_a_scan_for_zombies_ends_with_its_budget(target: Target) -> None:
    """The next scan cancels the remaining runs."""
    spec = spec_of(
        jobs=[{"name": f"job-{number}", "every": "1h", "timeout": "1s"} for number in range(6)],
        cleanup={"zombies": {"threshold": "1s", "budget": "1s"}},
    )
    stopped: list[str] = []
    moment = [0.0, 0.0]
    """The time, and its increase with each reading."""

    def monotonic() -> float:
        moment[0] += moment[1]
        return moment[0]

    async def handle(job: EffectiveJob, context: JobContext) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            stopped.append(f"{job.name} {context.why}")

    async def scenario() -> None:
        collector = Collector()
        metrics = SchedulerMetrics(
            Metrics.of("scheduler", pipeline="scan", collector=collector, given={"class": ["-"]})
        )
        link, clocks = target.link(OF_MOVES.waiting), Clocks(monotonic=monotonic)
        settler = RunSettler(JobSteps(link, OF_MOVES), BatchBreaker(spec.breakers), 3, 100, metrics, clocks)
        runs = JobRuns(spec, Given(spec, handle), settler, RedisTime(clocks), metrics, Random(1), clocks)  # noqa: S311 - no secret
        permits = Permits(6, lambda: None)
        for job in effective_jobs(spec):
            acquired = AcquiredJob(job.name, 0, 1_000_000, 1, 0.0, None)
            runs.start(acquired, job, plan_run(job, 0, 0.0), permits.take(), "pod~1")
        await asyncio.sleep(0)  # the runs start
        moment[:] = [100.0, 0.2]
        assert not runs.scan()
        await until(lambda: stopped, "some runs are cancelled")
        first = len(stopped)
        assert 0 < first < 6
        assert metrics.cut_off["zombies"].value == 1
        while len(runs):
            runs.scan()
            await asyncio.sleep(0)
        assert sorted(stopped) == [f"job-{number} overdue" for number in range(6)]
        assert metrics.zombies["scan"].value == 6
        await link.close()

    run_async(scenario())
