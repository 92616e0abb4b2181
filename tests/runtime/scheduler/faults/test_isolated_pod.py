"""A pod that loses Redis while other pods reach it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faulty_connection import Cable
from scheduler_processes import Schedule
from servers import Server, wait_for
from targets import Target

from penstock.observe.events import Event
from penstock.wire.credentials import Credentials

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    try:
        while job.name == "held" and not pathlib.Path("released").exists():
            await asyncio.sleep(0.02)
    finally:
        ledger.note("end", job.name, context.fence)
"""
SPEC = """\
jobs: [{name: held, every: 1h, timeout: 40s}]
work: {lease: 30s}
cleanup: {orphans: {every: 1s, leadership: 2s}}
"""


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    with Cable(server.port) as cable:
        yield cable


@pytest.fixture
def cut(tmp_path: Path, server: Server) -> Callable[[str], Schedule]:
    return lambda spec: Schedule(
        tmp_path, Target(server.model(), Credentials(), [server]), handlers=HANDLERS, spec=spec
    )


def by_cable(cable: Cable) -> tuple[str, ...]:
    return ("scheduler", "run", "trial", "--redis", f"redis://{cable.address}", "--listen", "off")


def test_an_isolated_pod_stops_its_runs_before_another_starts_them(
    cut: Callable[[str], Schedule], cable: Cable
) -> None:
    """It cannot renew its lease, so it cancels its runs by monotonic time; then another pod runs the jobs."""
    with cut(SPEC) as repo:
        isolated = repo.start(*by_cable(cable))
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        other = repo.pod()
        other.until(Event.CONSUMER_JOINED)
        cable.hold_answers()
        wait_for(lambda: len(repo.lines()["held"]) == 2, "another pod runs `held`", 120)
        (ended,) = repo.lines("end")["held"]
        first, second = repo.lines()["held"]
        assert (first.worker, second.worker, ended.worker) == (isolated.name, other.name, isolated.name)
        assert first.at < ended.at < second.at
        cable.mend()
        isolated.until(Event.CONSUMER_JOINED, times=2)
        (repo.folder / "released").touch()
        repo.until_ran("held", 2)
        assert isolated.end() == other.end() == 0
