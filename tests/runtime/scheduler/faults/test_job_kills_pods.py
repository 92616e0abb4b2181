"""A job that ends its pod's process: each next run waits longer, and `failures.pause_after` ends it."""

import json
from collections.abc import Callable
from functools import partial

import pytest
from http_probes import until_counted
from pipelines import Process
from scheduler_processes import Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import os, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.attempt)
    if job.name == "poison" and not pathlib.Path("fixed").exists():
        os._exit(9)
    ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs: [{name: poison, every: 24h, priority: 900}, {name: good, every: 1s}]
work: {lease: 10s}
failures: {lost: {first: 2s}, pause_after: 3}
"""


def has_run(repo: Schedule, times: int) -> bool:
    return len(repo.lines().get("poison", [])) == times


@pytest.mark.storm
def test_a_job_that_kills_its_pods_is_paused(schedule: Callable[..., Schedule]) -> None:
    """It kills three pods, and no more. A job that shared each of them runs on. `why`, `list` and `history` tell."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        pods = [repo.pod()]

        def restart() -> Process:
            """As Kubernetes does."""
            if pods[-1].process.poll() is not None:
                pods.append(repo.pod())
            return pods[-1]

        def is_paused() -> bool:
            restart()
            return repo.places("poison") == ["paused"]

        wait_for(is_paused, "`poison` is paused", 180)
        assert [line.fence for line in repo.lines()["poison"]] == [1, 2, 3]
        last = restart()
        until_counted(last, "scheduler_given_up", 1)
        events = [event for pod in pods for event in pod.events(Event.JOB_GIVEN_UP)]
        assert [(event["job"], event["in_a_row"]) for event in events] == [("poison", 3)]
        events = [event for pod in pods for event in pod.events(Event.JOB_LOST_AGAIN)]
        assert [event["in_a_row"] for event in events if event["job"] == "poison"] == [2, 3]
        first, *_ = repo.call("why", "poison").stdout.splitlines()
        assert "after 3 runs in a row lost with their pods" in first
        assert "(`failures.pause_after`)" in first
        assert "its pod was lost" in repo.call("history", "poison").stdout
        rows = {row["job"]: row for row in map(json.loads, repo.call("list", "--json").stdout.splitlines())}
        assert rows["poison"]["last"]["lost"] == rows["poison"]["last"]["streak"] == 3
        assert rows["good"]["given_up"] is None

        repo.until_ran("good", len(repo.lines("end").get("good", [])) + 2)
        assert len([pod for pod in pods if pod.process.poll() is not None]) == 3
        (repo.folder / "fixed").touch()
        assert repo.call("resume", "poison").returncode == 0
        repo.until_ran("poison")
        assert last.end() == 0


@pytest.mark.storm
def test_without_a_limit_the_job_waits(schedule: Callable[..., Schedule]) -> None:
    """Two pods are lost at once; then it waits, and `why` tells what for."""
    spec = SPEC.replace("first: 2s}, pause_after: 3", "first: 1h, limit: 2h}").replace(", {name: good, every: 1s}", "")
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pod = repo.pod()
        for times in (1, 2):
            wait_for(partial(has_run, repo, times), "`poison` runs", 120)
            pod.process.wait()
            pod = repo.pod()
        wait_for(lambda: "backing off" in repo.call("why", "poison").stdout, "`poison` waits", 120)
        first, *_ = repo.call("why", "poison").stdout.splitlines()
        assert first.startswith("backing off after 2 runs in a row lost with their pods")
        assert pod.end() == 0
        assert len(repo.lines()["poison"]) == 2
