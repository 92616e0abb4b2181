"""A limit of a label survives pods that are killed: it is not exceeded, and no place is lost."""

import json
from collections.abc import Callable
from functools import partial

import pytest
from scheduler_processes import Schedule, holds
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    try:
        await asyncio.sleep(0.2)
    finally:  # a drain cancels it
        ledger.note("end", job.name, context.fence)
"""
ACCOUNTS = {"a": 6, "b": 6, "c": 1}
LIMIT = 2
ACCOUNT_OF = {f"{account}{n}": account for account, jobs in ACCOUNTS.items() for n in range(jobs)}
JOBS = json.dumps([{"name": name, "labels": {"account": account}} for name, account in ACCOUNT_OF.items()])
SPEC = f"""\
jobs: {JOBS}
each: {{every: 1s, timeout: 5s}}
limits: {{account: {LIMIT}}}
work: {{lease: 10s}}
cleanup: {{orphans: {{every: 1s, leadership: 2s}}}}
"""


@pytest.mark.storm
def test_killed_pods_neither_break_nor_use_up_a_limit(schedule: Callable[..., Schedule]) -> None:
    """Pods are killed with all their runs, again and again; the other goes on at the full limit."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        lasting = repo.pod().until(Event.CONSUMER_JOINED)
        for _ in range(3):
            victim = repo.pod().until(Event.CONSUMER_JOINED)
            wait_for(partial(holds, repo, victim.name), "the pod runs a job")
            victim.kill()
        since = {job: len(lines) for job, lines in repo.lines("end").items()}
        wait_for(
            lambda: all(len(repo.lines("end").get(job, [])) > since.get(job, 0) + 1 for job in ACCOUNT_OF),
            "every job runs again",
            120,
        )
        assert lasting.end() == 0
        for account in ACCOUNTS:
            assert most_at_a_time(repo, account) <= LIMIT, account
        repo.assert_each_in_one_set(list(ACCOUNT_OF))


def most_at_a_time(repo: Schedule, account: str) -> int:
    """The most runs of an account that went on at a time; a killed run ended with its pod."""
    killed = {pod.name: pod.killed for pod in repo.processes if pod.killed is not None}
    ends = {line.fence: line.at for lines in repo.lines("end").values() for line in lines}
    moments: list[tuple[float, int]] = []
    for job, lines in repo.lines().items():
        for line in lines if ACCOUNT_OF[job] == account else ():
            moments += [(line.at, 1), (ends[line.fence] if line.fence in ends else killed[line.worker], -1)]
    running = most = 0
    for _, change in sorted(moments):
        running += change
        most = max(most, running)
    return most
