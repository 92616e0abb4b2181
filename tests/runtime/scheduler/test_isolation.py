"""`work.isolation: process`: each run in a child process, whose end fails one run only."""

import json
from collections.abc import Callable

from http_probes import numbers, until_counted
from scheduler_processes import KEYS, Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, contextlib, os, pathlib, signal, time
import ledger
import penstock

@contextlib.asynccontextmanager
async def alive():
    ledger.note("alive", "-", os.getpid())
    yield

@penstock.handler(lifespan=alive)
async def handle(job, context):
    ledger.note("start", job.name, os.getpid())
    match job.name:
        case "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exits":
            os._exit(7)
        case "fails":
            raise ConnectionError("a secret of the team")
        case "greedy":
            bytearray(1 << 30)
        case "blocks":
            time.sleep(3600)
        case "sleeps":
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                ledger.note(context.why, job.name, os.getpid())
                raise
    assert (job.args, context.attempt, context.cancelled, context.remaining > 0) == ({"region": "eu"}, 1, False, True)
    context.log.info("done")
    ledger.note("end", job.name, context.fence)

def plain(job, context):
    ledger.note("start", job.name, os.getpid())
    while not context.cancelled:
        time.sleep(0.02)
    ledger.note(context.why, job.name, os.getpid())
"""
SPEC = """\
jobs:
  - {name: works, every: 1s, args: {region: eu}}
  - {name: crashes, every: 1h}
  - {name: exits, every: 1h}
  - {name: fails, every: 1h}
  - {name: greedy, every: 1h}
work: {isolation: process, memory_limit: 256Mi}
failures: {by_class: true}
"""
STUBBORN = """\
jobs:
  - {name: blocks, every: 1h, timeout: 1s}
  - {name: sleeps, every: 1h, timeout: 1s}
  - {name: plain, every: 1h, timeout: 1s, handler: "handlers:plain"}
  - {name: works, every: 1s, args: {region: eu}}
work: {isolation: process}
cleanup: {zombies: {threshold: 0s, abandon_after: 2s}}
"""


def record(repo: Schedule, job: str) -> dict[str, object]:
    reply = repo.ask("HGET", KEYS.story, job)
    value: dict[str, object] = json.loads(str(reply)) if reply else {}
    return value


def test_a_crash_fails_one_run(schedule: Callable[..., Schedule]) -> None:
    """With its signal or its exit code in the log; other runs, and the pod, are not affected."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pod = repo.pod()
        for job in ("crashes", "exits", "fails", "greedy"):
            wait_for(lambda job=job: record(repo, job).get("outcome") == "failed", f"`{job}` has failed")  # type: ignore[misc]
        classes = {job: record(repo, job)["class"] for job in ("crashes", "exits", "fails", "greedy")}
        assert classes == {"crashes": "-", "exits": "-", "fails": "transient", "greedy": "throttled"}
        how = {line["job"]: line["how"] for line in pod.events(Event.JOB_CRASHED)}
        assert how == {"crashes": "it was killed by SIGSEGV", "exits": "it ended with code 7"}
        failed = {line["job"]: line for line in pod.events(Event.JOB_FAILED)}
        assert (failed["crashes"]["error"], failed["fails"]["error"]) == ("JobCrashed", "ConnectionError")
        assert str(failed["fails"]["at"]).startswith("handlers.py:")
        assert "secret" not in pod.log()
        repo.until_ran("works", 3)
        runs = [line.fence for line in repo.lines()["works"]]
        assert pod.process.pid not in runs
        assert len(repo.lines("alive")["-"]) <= len({line.fence for some in repo.lines().values() for line in some})
        assert numbers(pod).of("scheduler_abandoned") == 0
        assert pod.end() == 0


def test_a_run_that_ignores_its_cancellation_is_killed(schedule: Callable[..., Schedule]) -> None:
    """Also one that blocks its interpreter. So it is not abandoned, and its job is free again."""
    with schedule(handlers=HANDLERS, spec=STUBBORN) as repo:
        pod = repo.pod()
        for job in ("blocks", "sleeps", "plain"):
            wait_for(lambda job=job: repo.places(job) == ["waiting"] and record(repo, job), f"`{job}` ended")  # type: ignore[misc]
        assert record(repo, "blocks")["outcome"] == record(repo, "sleeps")["outcome"] == "cancelled"
        assert set(repo.lines("overdue")) == {"sleeps", "plain"}
        repo.until_ran("works", 2)
        assert numbers(pod).of("scheduler_abandoned") == 0
        until_counted(pod, "scheduler_running", 0)
        assert pod.end() == 0


def test_a_drain_ends_all_children(schedule: Callable[..., Schedule]) -> None:
    """The pod exits in time, with 0, and hands back what they ran."""
    with schedule(handlers=HANDLERS, spec=STUBBORN.replace("timeout: 1s", "timeout: 1h")) as repo:
        pod = repo.pod()
        wait_for(lambda: {"blocks", "sleeps", "plain"} <= set(repo.lines()), "all run")
        assert pod.end() == 0
        assert set(repo.lines("drain")) == {"sleeps", "plain"}
        assert {job: record(repo, job)["outcome"] for job in ("blocks", "sleeps")} == dict.fromkeys(
            ("blocks", "sleeps"), "stopped"
        )
        assert repo.number("ZCARD", KEYS.working) == 0


def test_a_handler_that_cannot_be_imported_in_a_child_stops_the_start(schedule: Callable[..., Schedule]) -> None:
    """The pod says why, and runs nothing."""
    broken = "import os, sys\nif 'fork_server' in str(sys.orig_argv):\n    raise OSError('no such device')\n" + HANDLERS
    with schedule(handlers=broken, spec=SPEC) as repo:
        pod = repo.pod()
        assert pod.process.wait(60) == 2
        assert "in a child process, `handlers` failed to import: OSError: no such device" in pod.log()
        assert repo.lines() == {}
