"""A pod that is killed: its jobs run again when its lease has expired, long before their deadlines."""

from collections.abc import Callable
from functools import partial

from http_probes import numbers
from scheduler_processes import KEYS, Schedule, overlaps
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    while not pathlib.Path("released").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", job.name, context.fence)

async def deaf(job, context):
    ledger.note("start", job.name, context.fence)
    while not pathlib.Path("released").exists():
        try:
            await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            pass
    ledger.note("end", job.name, context.fence)
"""
DAILY = """\
jobs: [{name: daily, every: 24h}]
work: {lease: 10s}
cleanup: {orphans: {every: 1h, leadership: 1h}}
"""


def test_a_daily_job_of_a_lost_leader_runs_again_within_about_a_lease(schedule: Callable[..., Schedule]) -> None:
    """Its timeout is a day. Neither `every` nor the lock of the lost leader delays it."""
    with schedule(handlers=HANDLERS, spec=DAILY) as repo:
        lost = repo.pod()
        wait_for(partial(leads, repo), "the first pod leads")
        wait_for(lambda: "daily" in repo.lines(), "`daily` runs")
        other = repo.pod()
        other.until(Event.CONSUMER_JOINED)
        lost.kill()
        wait_for(lambda: len(repo.lines()["daily"]) == 2, "another pod runs `daily`", 120)
        assert lost.killed is not None
        (repo.folder / "released").touch()
        repo.until_ran("daily", 1)
        assert overlaps(repo.lines(), repo.lines("end"), {lost.name: lost.killed}) == []


def leads(repo: Schedule) -> bool:
    return repo.ask("GET", KEYS.cleanup_leader) is not None


def test_a_leader_that_recovers_nothing_does_not_stop_others(schedule: Callable[..., Schedule]) -> None:
    """Its lock is renewed, by whatever holds it; after half a lease more, another pod recovers the job."""
    with schedule(handlers=HANDLERS, spec=DAILY) as repo:
        lost = repo.pod()
        wait_for(lambda: "daily" in repo.lines(), "`daily` runs")
        repo.ask("SET", KEYS.cleanup_leader, "someone", "EX", 3600)
        other = repo.pod()
        other.until(Event.CONSUMER_JOINED)
        lost.kill()
        wait_for(lambda: len(repo.lines()["daily"]) == 2, "another pod runs `daily`", 120)
        assert numbers(other).of("scheduler_leader") == 0
        assert other.events(Event.PODS_LOST)
        (repo.folder / "released").touch()
        repo.until_ran("daily", 1)


def test_a_pod_runs_no_job_beside_its_own_lost_run(schedule: Callable[..., Schedule]) -> None:
    """It lost its lease, and the run ignores that. Its new consumer leaves the job to other pods."""
    spec = DAILY.replace("name: daily", 'name: daily, handler: "handlers:deaf"')
    spec = spec.replace("orphans: {", "zombies: {abandon_after: 1s}, orphans: {")
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        pod = repo.pod()
        wait_for(lambda: "daily" in repo.lines(), "`daily` runs")
        for consumer in reply if isinstance(reply := repo.ask("ZRANGE", KEYS.pods, 0, -1), list) else []:
            repo.ask("ZADD", KEYS.pods, -1, str(consumer))
        pod.until(Event.CONSUMER_JOINED, times=2)
        wait_for(
            lambda: numbers(pod).of("scheduler_filtered", why="running") > 0, "the pod leaves the job to others", 60
        )
        assert len(repo.lines()["daily"]) == 1
        other = repo.pod()
        wait_for(lambda: len(repo.lines()["daily"]) == 2, "another pod runs `daily`", 60)
        assert repo.lines()["daily"][1].worker == other.name
        (repo.folder / "released").touch()
        repo.until_ran("daily", 2)
