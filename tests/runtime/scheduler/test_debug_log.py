"""`LOG_LEVEL=DEBUG` logs the start and the end of each run."""

from collections.abc import Callable

import pytest
from scheduler_processes import Schedule

from penstock.observe.events import Event

SPEC = "jobs: [{name: usual, every: 1s}]\n"


@pytest.mark.parametrize("level", ["DEBUG", "INFO"])
def test_each_run_is_logged_for_debugging(schedule: Callable[..., Schedule], level: str) -> None:
    with schedule(spec=SPEC) as repo:
        pod = repo.pod(environ={"LOG_LEVEL": level})
        repo.until_ran("usual", 2)
        assert pod.end() == 0
        started, ended = pod.events(Event.JOB_STARTED), pod.events(Event.JOB_ENDED)
        if level == "INFO":
            assert started == ended == []
        else:
            assert [line["fence"] for line in started] == [line["fence"] for line in ended]
            assert {line["outcome"] for line in ended} <= {"ok", "stopped"}
            assert all(line["level"] == "DEBUG" and line["job"] == "usual" for line in (*started, *ended))
