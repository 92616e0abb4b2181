"""A pod that is stopped beyond its lease and the deadlines of its jobs, and continues."""

import json
import signal
from collections.abc import Callable
from functools import partial

from scheduler_processes import KEYS, Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    await asyncio.sleep(float(job.args.get("takes", 0)))
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs:
  - {name: held-1, every: 1h, timeout: 12s, args: {takes: 8}}
  - {name: held-2, every: 1h, timeout: 12s, args: {takes: 8}}
  - {name: usual, every: 1s}
work: {lease: 10s}
cleanup: {orphans: {every: 1s, leadership: 2s}}
"""
HELD = ("held-1", "held-2")


def test_a_pod_that_continues_changes_no_run_of_others(schedule: Callable[..., Schedule]) -> None:
    """Its jobs run elsewhere. It cancels its runs, handing them back changes no job, and it runs other jobs."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        stopped = repo.pod()
        wait_for(lambda: set(HELD) <= set(repo.lines()), "both held jobs run")
        stopped.signal(signal.SIGSTOP)
        other = repo.pod()
        for job in HELD:
            wait_for(partial(ran_on, repo, "start", job, other.name), "the other pod runs the job")
        for job in HELD:
            wait_for(partial(ran_on, repo, "end", job, other.name), "the run ends")
        wait_for(lambda: all(repo.places(job) == ["waiting"] for job in HELD), "the held jobs are handed back")
        before = {job: repo.ask("ZSCORE", KEYS.waiting, job) for job in HELD}

        stopped.signal(signal.SIGCONT)
        stopped.until(Event.CONSUMER_JOINED, times=2)
        times = len(repo.lines()["usual"])
        wait_for(
            lambda: stopped.name in {line.worker for line in repo.lines()["usual"][times:]},
            "the continued pod runs jobs again",
        )

        for job in HELD:
            first, second = repo.lines()[job]
            assert first.fence < second.fence
            assert json.loads(str(repo.ask("HGET", KEYS.story, job)))["fence"] == second.fence
        assert before == {job: repo.ask("ZSCORE", KEYS.waiting, job) for job in HELD}
        assert stopped.end() == other.end() == 0


def ran_on(repo: Schedule, what: str, job: str, worker: str) -> bool:
    return worker in {line.worker for line in repo.lines(what).get(job, [])}
