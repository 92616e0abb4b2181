"""How a pod exits when it cannot continue, and the lifespans of its handlers."""

from collections.abc import Callable

import pytest
from patience import PATIENCE
from scheduler_processes import KEYS, Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, contextlib, pathlib, time
import ledger
import penstock
from penstock.observe.heartbeat import Heartbeat
from penstock.scheduler.watchdog import Watchdog
from penstock.scheduler.registration import PodRegistration

def breaking(real, part):
    def broken(*about):
        if pathlib.Path(f"broken-{part}").exists():
            raise RuntimeError("a secret of the team")
        return real(*about)
    return broken

Watchdog.check = breaking(Watchdog.check, "counts")
PodRegistration.renew = breaking(PodRegistration.renew, "lease")
age = Heartbeat.age

@contextlib.asynccontextmanager
async def alive():
    if pathlib.Path("failing-start").exists():
        raise OSError("start failed")
    ledger.note("alive", "-", 0)
    yield
    ledger.note("left", "-", 0)
    if pathlib.Path("failing-exit").exists():
        raise OSError("exit failed")

@penstock.handler(lifespan=alive)
async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    if job.name == "blocks":
        Heartbeat.age = lambda heartbeat: 20 * age(heartbeat)  # so that half a minute passes in one and a half seconds
        time.sleep(3600)
    while job.name.startswith("held"):
        await asyncio.sleep(60)
    ledger.note("end", job.name, context.fence)
"""
BLOCKS = "jobs: [{name: blocks, every: 1h, timeout: 1s}]\ncleanup: {zombies: {threshold: 1s}}\n"
USUAL = "jobs: [{name: usual, every: 1s}, {name: held, every: 1h, timeout: 1h}]\nwork: {lease: 10s}\n"
HELD = [f"held-{number:02}" for number in range(20)]
SPREAD = f"jobs: [{', '.join(f'{{name: {job}}}' for job in HELD)}]\neach: {{every: 1h, timeout: 1h}}\n"


def redis_seconds(repo: Schedule) -> int:
    time = repo.ask("TIME")
    assert isinstance(time, list)
    return int(str(time[0]))


def test_a_loop_blocked_for_ever_ends_the_process(schedule: Callable[..., Schedule]) -> None:
    """With an exit code of its own; the job is due again after its deadline and the lease."""
    with schedule(handlers=HANDLERS, spec=BLOCKS) as repo:
        pod = repo.pod()
        assert pod.process.wait(PATIENCE) == 70
        assert len(pod.events(Event.LOOP_BLOCKED)) == 1
        assert repo.places("blocks") == ["working"], "the leader hands it back"


@pytest.mark.parametrize("part", ["counts", "lease"])
def test_a_part_that_fails_ends_the_pod(schedule: Callable[..., Schedule], part: str) -> None:
    """It would only look healthy: it logs the part, hands back its jobs, and has its own exit code."""
    with schedule(handlers=HANDLERS, spec=USUAL) as repo:
        pod = repo.pod()
        repo.until_ran("usual")
        wait_for(lambda: "held" in repo.lines(), "`held` runs")
        (repo.folder / f"broken-{part}").touch()
        assert pod.process.wait(PATIENCE) == 70
        (line,) = pod.events(Event.PART_FAILED)
        assert (line["level"], line["part"], line["error"]) == ("ERROR", part, "RuntimeError")
        assert "secret" not in pod.log()
        repo.assert_each_in_one_set(["usual", "held"])
        assert (repo.number("ZCARD", KEYS.working), repo.number("ZCARD", KEYS.pods)) == (0, 0)


def test_a_lifespan_lasts_as_long_as_the_pod(schedule: Callable[..., Schedule]) -> None:
    """Entered once before the first run, left after the last; a failure on leaving is logged."""
    with schedule(handlers=HANDLERS, spec="jobs: [{name: usual, every: 1s}, {name: other, every: 1s}]") as repo:
        (repo.folder / "failing-exit").touch()
        pod = repo.pod()
        for job in ("usual", "other"):
            repo.until_ran(job, 2)
        assert "-" not in repo.lines("left")
        assert pod.end() == 0
        (alive,), (left,) = repo.lines("alive")["-"], repo.lines("left")["-"]
        runs = [line.at for kind in ("start", "end") for lines in repo.lines(kind).values() for line in lines]
        assert alive.at < min(runs) <= max(runs) < left.at
        assert len(pod.events(Event.LIFESPAN_EXIT_FAILED)) == 1


def test_a_failing_lifespan_prevents_the_start(schedule: Callable[..., Schedule]) -> None:
    """The pod prints the reason and runs no job."""
    with schedule(handlers=HANDLERS, spec=USUAL) as repo:
        (repo.folder / "failing-start").touch()
        pod = repo.pod()
        assert pod.process.wait(PATIENCE) == 2
        assert "`lifespan` of `handlers:handle` failed to start: OSError" in pod.log()
        assert "Traceback" not in pod.log()
        assert repo.lines() == {}
        assert repo.number("ZCARD", KEYS.pods) == 0


@pytest.mark.parametrize(("spec", "spread"), [("jitter: {shutdown: 1h}\n", 3600), ("", 0)])
def test_due_times_of_handed_back_jobs_are_spread(schedule: Callable[..., Schedule], spec: str, spread: int) -> None:
    """With `jitter.shutdown` not all are due at once; without it, each keeps its due time."""
    with schedule(handlers=HANDLERS, spec=SPREAD + spec) as repo:
        pod = repo.pod()
        wait_for(lambda: len(repo.lines()) == len(HELD), "all jobs run")
        before = {job: int(str(repo.ask("HGET", KEYS.owners, job)).split()[0]) for job in HELD}
        now = redis_seconds(repo)
        assert pod.end() == 0
        due = {job: int(float(str(repo.ask("ZSCORE", KEYS.waiting, job)))) for job in HELD}
        if spread:
            assert all(now <= second <= redis_seconds(repo) + spread + 1 for second in due.values())
            assert len(set(due.values())) > len(HELD) / 2
            assert max(due.values()) > now + spread / 10
        else:
            assert due == before
