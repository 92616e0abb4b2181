"""`failures.pause_after`: a job that fails too often in a row is paused, and tells people how to resume it."""

import json
from collections.abc import Callable

from http_probes import until_counted
from scheduler_processes import Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.attempt)
    if job.name == "fails" and not pathlib.Path("fixed").exists():
        raise ValueError
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs: [{name: fails, every: 1s}, {name: works, every: 1s}]
failures: {pause_after: 3}
"""


def test_a_job_is_paused_after_three_failures_in_a_row(schedule: Callable[..., Schedule]) -> None:
    """An event, a metric, `list` and `why` say so. Resumed, it has three attempts again; once mended, it runs on."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pod = repo.pod()
        wait_for(lambda: repo.places("fails") == ["paused"], "`fails` is paused")
        assert [line.fence for line in repo.lines()["fails"]] == [1, 2, 3]
        until_counted(pod, "scheduler_given_up", 1)
        (event,) = pod.events(Event.JOB_GIVEN_UP)
        assert (event["level"], event["job"], event["in_a_row"]) == ("ERROR", "fails", 3)
        first, *_ = repo.call("why", "fails").stdout.splitlines()
        assert first.startswith("paused ")
        assert "after 3 failures in a row (`failures.pause_after`)" in first
        assert first.endswith("; it runs again after `penstock scheduler resume trial fails`")
        rows = {row["job"]: row for row in map(json.loads, repo.call("list", "--json").stdout.splitlines())}
        assert rows["fails"]["state"] == "paused"
        assert rows["fails"]["given_up"] is not None
        assert rows["works"]["given_up"] is None
        assert "paused: failed too often" in repo.call("list").stdout
        repo.until_ran("works", 2)

        assert repo.call("resume", "fails").returncode == 0
        wait_for(lambda: len(pod.events(Event.JOB_GIVEN_UP)) == 2, "`fails` is paused again")
        assert [line.fence for line in repo.lines()["fails"]] == [1, 2, 3, 1, 2, 3]

        (repo.folder / "fixed").touch()
        assert repo.call("resume", "fails").returncode == 0
        repo.until_ran("fails", 2)
        wait_for(lambda: "paused" not in repo.call("why", "fails").stdout, "`fails` runs on")
        assert pod.end() == 0
