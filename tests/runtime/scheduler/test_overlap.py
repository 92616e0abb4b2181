"""`overlap`: a job is due while its previous run has not ended."""

from collections.abc import Callable

import pytest
from http_probes import numbers
from scheduler_processes import KEYS, Schedule, overlaps
from servers import wait_for

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    try:
        while not pathlib.Path("released").exists():
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        ledger.note(context.why, job.name, context.fence)
        raise
    finally:
        ledger.note("end", job.name, context.fence)
"""
SPEC = "jobs: [{{name: job, every: {every}, timeout: 1h, overlap: {overlap}}}]\n"


@pytest.mark.parametrize(("overlap", "counted"), [("skip", "skipped"), ("wait", "waited")])
def test_a_run_that_outlasts_the_interval(schedule: Callable[..., Schedule], overlap: str, counted: str) -> None:
    """The due times until its end are dropped and counted; or the job runs once, right after."""
    with schedule(handlers=HANDLERS, spec=SPEC.format(every="1s", overlap=overlap)) as repo:
        pod = repo.pod()
        wait_for(lambda: "job" in repo.lines(), "the job runs")
        began = float(str(repo.ask("ZSCORE", KEYS.working, "job")))
        wait_for(lambda: seconds(repo) + 3600 > began + 3, "it is due again, several times")
        assert len(repo.lines()["job"]) == 1
        (repo.folder / "released").touch()
        repo.until_ran("job", 3)
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        by = numbers(pod).by("scheduler_overlaps", "what")
        assert by[counted] >= (3 if overlap == "skip" else 1)
        assert sum(by.values()) == by[counted]
        assert pod.end() == 0


def test_the_next_run_replaces_the_previous_one(schedule: Callable[..., Schedule]) -> None:
    """It is cancelled when the job is due, and the next one begins after its end. That is no failure."""
    with schedule(handlers=HANDLERS, spec=SPEC.format(every="1s", overlap="replace")) as repo:
        pod = repo.pod()
        wait_for(lambda: len(repo.lines("replaced").get("job", [])) >= 3, "three runs were replaced")
        (repo.folder / "released").touch()
        repo.until_ran("job", 5)
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        assert numbers(pod).of("scheduler_overlaps", what="replaced") >= 3
        assert numbers(pod).of("scheduler_runs", outcome="failed") == 0
        assert pod.end() == 0


@pytest.mark.parametrize(
    ("overlap", "answer"),
    [
        ("skip", "is already running"),
        ("wait", "is running; it runs again right after (`overlap: wait`)"),
        ("replace", "is running; that run is cancelled, and the job runs again (`overlap: replace`)"),
    ],
)
def test_a_person_asks_for_a_run_while_the_job_runs(
    schedule: Callable[..., Schedule], overlap: str, answer: str
) -> None:
    """As with a due time of its schedule."""
    with schedule(handlers=HANDLERS, spec=SPEC.format(every="1h", overlap=overlap)) as repo:
        pod = repo.pod()
        wait_for(lambda: "job" in repo.lines(), "the job runs")
        called = repo.call("run-now", "job")
        assert called.stdout + called.stderr == f"`job` {answer}\n"
        assert called.returncode == (1 if overlap == "skip" else 0)
        if overlap == "replace":
            wait_for(lambda: len(repo.lines()["job"]) == 2, "another run has begun")
            assert len(repo.lines("replaced")["job"]) == 1
        (repo.folder / "released").touch()
        repo.until_ran("job", 1 if overlap == "skip" else 2)
        wait_for(lambda: repo.places("job") == ["waiting"], "the job waits")
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        assert len(repo.lines()["job"]) == (1 if overlap == "skip" else 2)
        assert pod.end() == 0


def seconds(repo: Schedule) -> int:
    """Redis time."""
    reply = repo.ask("TIME")
    assert isinstance(reply, list)
    return int(str(reply[0]))
