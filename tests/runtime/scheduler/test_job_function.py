"""Jobs come from a function of the team."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from in_process_scheduler import spec_of

from penstock.scheduler.job_list import JobLister
from penstock_spec.values.quantities import Duration

CODE = """\
import asyncio

JOBS = [{"name": "images", "every": "30s", "args": {"of": ["images"]}}]

def jobs():
    return JOBS

def numbers():
    return [{"name": "12", "every": "30s"}, {"name": "n-1", "every": "30s"}]

def some():
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        yield {"name": "generated", "every": "30s"}
"""


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "team_jobs.py").write_text(CODE)
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    sys.modules.pop("team_jobs", None)


def lister(code: Path, function: str) -> JobLister:
    return JobLister(spec_of(jobs=f"team_jobs:{function}", handler="asyncio:sleep"), [code])


def test_a_list_that_is_changed_in_place_is_read_again(code: Path) -> None:
    """The function may return the same objects each time, with other values."""
    job_lister = lister(code, "jobs")
    assert asyncio.run(job_lister.read()).mine["images"].every == Duration("30s")
    sys.modules["team_jobs"].JOBS[0]["every"] = "2m"
    assert asyncio.run(job_lister.read()).mine["images"].every == Duration("2m")
    sys.modules["team_jobs"].JOBS[0]["args"]["of"].append("disks")
    assert asyncio.run(job_lister.read()).mine["images"].args == {"of": ["images", "disks"]}


def test_names_that_the_cleanup_removes_are_not_registered(code: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They would be registered and removed again and again; without that cleanup they are ordinary names."""
    assert set(asyncio.run(lister(code, "numbers").read()).mine) == {"n-1"}
    assert "removes such entries" in str(caplog.records[0].__dict__)
    kept = spec_of(jobs="team_jobs:numbers", handler="asyncio:sleep", cleanup={"orphans": {"remove_numeric": False}})
    assert set(asyncio.run(JobLister(kept, [code]).read()).mine) == {"12", "n-1"}


def test_a_generator_does_not_block_the_event_loop(code: Path) -> None:
    """It may call a service for each job and take long."""
    assert set(asyncio.run(lister(code, "some").read()).mine) == {"generated"}
