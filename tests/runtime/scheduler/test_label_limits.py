"""Limits of labels hold over all pods, and `why` names them."""

from collections.abc import Callable

from http_probes import numbers
from scheduler_processes import KEYS, Schedule
from servers import wait_for

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    while job.labels.get("account") == "a" and not pathlib.Path("released").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", job.name, context.fence)
"""
JOBS = ", ".join(
    [f"{{name: a{n}, labels: {{account: a}}}}" for n in range(5)] + ["{name: b0, labels: {account: b}}", "{name: free}"]
)
SPEC = f"""\
jobs: [{JOBS}]
each: {{every: 1s, timeout: 5m}}
limits: {{account: 2}}
"""


def test_a_limit_holds_over_all_pods(schedule: Callable[..., Schedule]) -> None:
    """Other jobs run, the pods stay healthy, and the jobs that wait run as soon as others end."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pods = [repo.pod(), repo.pod()]
        for pod in pods:
            pod.ready()
        repo.until_ran("free", 6)
        repo.until_ran("b0", 6)
        started = [job for job in repo.lines() if job.startswith("a")]
        assert len(started) == 2
        (waits, *_) = sorted({f"a{n}" for n in range(5)} - set(started))
        why = repo.call("why", waits).stdout.splitlines()[0]
        assert (
            f"the limit of label `account` is reached: 2 of 2 jobs with `a` run ({', '.join(sorted(started))})" in why
        )
        assert sum(numbers(pod).of("scheduler_filtered_total", why="limit") for pod in pods) > 0
        assert all(numbers(pod).of("scheduler_watchdog", signal="zero_progress") == 0 for pod in pods)
        (repo.folder / "released").touch()
        for n in range(5):
            repo.until_ran(f"a{n}")
        wait_for(lambda: "limit of label" not in repo.call("why", waits).stdout, "the limit has room again")
        assert [pod.end() for pod in pods] == [0, 0]


def test_the_leader_removes_limits_that_nobody_holds(schedule: Callable[..., Schedule]) -> None:
    """An account whose jobs are gone leaves nothing behind."""
    with schedule(handlers=HANDLERS, spec=SPEC + "refresh: {every: 1s}\n") as repo:
        repo.ask("HSET", KEYS.limits, "account=gone", "1795000000.000001 former")
        (repo.folder / "released").touch()
        pod = repo.pod()
        wait_for(lambda: repo.ask("HEXISTS", KEYS.limits, "account=gone") == 0, "the entry is removed")
        repo.until_ran("a0", 2)
        assert pod.end() == 0
