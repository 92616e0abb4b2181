"""Repeated kills of pods: every job runs on, none twice at a time."""

from collections.abc import Callable
from functools import partial

import pytest
from scheduler_processes import KEYS, Schedule, holds, overlaps
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    try:
        await asyncio.sleep(0.2)
    finally:
        ledger.note("end", job.name, context.fence)
"""
JOBS = [f"job-{number:02}" for number in range(40)]
SPEC = "\n".join(
    [
        f"jobs: [{', '.join(f'{{name: {job}}}' for job in JOBS)}]",
        "each: {every: 1s, timeout: 20s}",
        "work: {concurrency: 10, lease: 20s}",
        "cleanup: {orphans: {every: 1s, leadership: 2s}}",
    ]
)
KILLS = 4


@pytest.mark.storm
def test_repeated_kills_lose_no_job_and_overlap_no_run(schedule: Callable[..., Schedule]) -> None:
    """Each time one of three pods is killed during its runs, a new one starts, and the script cache is flushed.

    Every job runs again, no two runs of it overlap, and in the end each waits in one set.
    """
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pods = [repo.pod() for _ in range(3)]
        for pod in pods:
            pod.until(Event.CONSUMER_JOINED)
        for number in range(KILLS):
            victim = pods[number % 3]
            wait_for(partial(holds, repo, victim.name), "the pod runs a job")
            victim.kill()
            for server in repo.target.masters():
                server.ask("SCRIPT", "FLUSH")
            pods[number % 3] = repo.pod()
            pods[number % 3].until(Event.CONSUMER_JOINED)
        since = {job: len(lines) for job, lines in repo.lines("end").items()}
        wait_for(
            lambda: all(len(repo.lines("end").get(job, [])) > since.get(job, 0) for job in JOBS),
            "every job runs again",
            120,
        )
        assert any(pod.events(Event.PODS_LOST) for pod in repo.processes)
        for pod in pods:
            assert pod.end() == 0, pod.log()[-2000:]
        killed = {pod.name: pod.killed for pod in repo.processes if pod.killed is not None}
        assert len(killed) == KILLS
        assert overlaps(repo.lines(), repo.lines("end"), killed) == []
        repo.assert_each_in_one_set(JOBS)
        assert repo.number("HLEN", KEYS.owners) == 0
