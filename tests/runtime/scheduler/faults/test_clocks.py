"""Pods with wrong wall clocks: only Redis time counts."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from pipelines import SUPPORT
from scheduler_processes import KEYS, Schedule, overlaps
from servers import wait_for

from penstock.observe.events import Event

SITE_FOLDER = Path(__file__).parent / "wrong_clock"
SPEC = """\
jobs: [{name: a}, {name: b}, {name: c}, {name: hourly, every: 1h}, {name: minutely, cron: "* * * * *"}]
each: {every: 1s, timeout: 20s}
work: {concurrency: 1}
"""
SECONDLY = ("a", "b", "c")


def test_wall_clocks_an_hour_off_change_nothing(schedule: Callable[..., Schedule]) -> None:
    """One is ahead, one behind; all pods run the same jobs, and due times are Redis time."""
    with schedule(spec=SPEC) as repo:
        pods = []
        for seconds in (3600, 0, -3600):
            path = os.pathsep.join((str(SITE_FOLDER), str(SUPPORT), str(repo.folder)))
            pods.append(repo.pod(environ={"CLOCK_OFF": str(seconds), "PYTHONPATH": path}))
            pods[-1].until(Event.CONSUMER_JOINED)
        started = [
            datetime.fromisoformat(pod.events(Event.CONSUMER_JOINED)[0]["timestamp"]).timestamp() for pod in pods
        ]
        assert min(started[0] - started[1], started[1] - started[2]) > 3000, "their wall clocks differ by an hour"
        wait_for(
            lambda: all(
                {pod.name for pod in pods} == {line.worker for line in repo.lines().get(job, [])} for job in SECONDLY
            ),
            "each pod has run each job",
            60,
        )
        time = repo.ask("TIME")
        assert isinstance(time, list)
        now = int(str(time[0]))
        for pod in pods:
            assert pod.end() == 0
        due = {job: float(str(repo.ask("ZSCORE", KEYS.waiting, job))) - now for job in ("a", "hourly", "minutely")}
        assert abs(due["a"]) < 60
        assert 3000 < due["hourly"] <= 3602
        assert 0 <= due["minutely"] <= 122
        assert len(repo.lines()["hourly"]) == 1
        assert overlaps(repo.lines(), repo.lines("end"), {}) == []
        repo.assert_each_in_one_set([*SECONDLY, "hourly", "minutely"])
