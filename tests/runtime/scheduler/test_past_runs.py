"""`penstock scheduler history` shows the last runs of a job with their errors."""

import json
from collections.abc import Callable

from raw_client import Reply
from scheduler_processes import KEYS, Schedule
from servers import wait_for

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    if job.name == "hangs":
        await asyncio.sleep(600)
    if not pathlib.Path("mended").exists():
        raise LookupError("jane@example.org")
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs: [{name: fails, every: 1s}, {name: hangs, every: 1m, timeout: 1s}]
cleanup: {zombies: {threshold: 1s}}
history: {keep: 4, age: 1h}
"""


def kept(repo: Schedule, job: str) -> str:
    reply: Reply = repo.ask("HGET", KEYS.history, job)
    return str(reply or "")


def test_a_history_shows_outcomes_and_errors(schedule: Callable[..., Schedule]) -> None:
    """As lines and as JSON, newest first; an error has its type and place, not its text."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pod = repo.pod()
        pod.ready()
        wait_for(lambda: kept(repo, "fails").count("LookupError") >= 2, "`fails` has failed twice")
        wait_for(lambda: "cancelled" in kept(repo, "hangs"), "`hangs` was cancelled")
        (repo.folder / "mended").touch()
        wait_for(lambda: kept(repo, "fails").count('"ok"') == 2, "`fails` ended twice")
        assert pod.end() == 0
        told = repo.call("history", "fails", "--json")
        runs = [json.loads(line) for line in told.stdout.splitlines()]
        assert [run["outcome"] for run in runs] == ["ok", "ok", "failed", "failed"]
        assert runs[2]["error"] == "LookupError"
        assert runs[2]["at"].startswith("handlers.py:")
        assert runs[1]["attempt"] == runs[2]["attempt"] + 1, "the run after a failure is its next attempt"
        assert runs[0]["attempt"] == 1
        assert all(run["started"] <= run["ended"] and run["consumer"] for run in runs)
        ended = [run["ended"] for run in runs]
        assert ended == sorted(ended, reverse=True)
        lines = repo.call("history", "fails").stdout.splitlines()
        assert lines[0].split() == ["ended", "took", "outcome", "attempt", "consumer", "error"]
        assert any("LookupError" in line and "handlers.py:" in line for line in lines)
        assert "cancelled" in repo.call("history", "hangs").stdout
        assert "jane" not in repr(repo.ask("HGETALL", KEYS.history)), "no text of an error is kept"


def test_a_job_without_runs_has_no_history(schedule: Callable[..., Schedule]) -> None:
    """The exit code tells whether the job is registered."""
    with schedule(handlers=HANDLERS, spec="jobs: [{name: yearly, cron: 0 0 1 1 *}]\n") as repo:
        pod = repo.pod()
        pod.ready()
        wait_for(lambda: repo.places("yearly") == ["waiting"], "`yearly` is registered")
        waiting, unknown = repo.call("history", "yearly"), repo.call("history", "nobody")
        assert (waiting.returncode, waiting.stderr) == (0, "no run of `yearly` is kept\n")
        assert (unknown.returncode, unknown.stderr) == (1, "no run of `nobody` is kept\n")
        assert pod.end() == 0
