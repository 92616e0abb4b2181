"""Jobs, patterns and shards may change while pods run."""

from collections.abc import Callable
from functools import partial

from http_probes import numbers, until_counted
from scheduler_processes import KEYS, Schedule
from servers import wait_for

from penstock.observe.events import Event

HANDLERS = """\
import asyncio, json, os, pathlib
import ledger

async def handle(job, context):
    ledger.note("start", job.name, context.fence)
    while job.name == "held" and not pathlib.Path("released").exists():
        await asyncio.sleep(0.02)
    ledger.note("end", job.name, context.fence)

def jobs():
    return json.loads(pathlib.Path("jobs.json").read_text())

async def mine():
    return json.loads(pathlib.Path(f"shards-{os.environ['POD_NAME']}.json").read_text())
"""
SPEC = """\
jobs: "handlers:jobs"
each: {every: 1s, timeout: 1m}
refresh: {every: 1s}
patterns: {disabled: "off/.*"}
cleanup: {orphans: {every: 1s}}
"""
PIPELINE = """\
kind: pipeline
name: trial
owner: {team: tests}
handler: handlers:handle
image: registry.example/trial:1.0.0
"""
SHARDS = 'shards: {count: 2, mine: "handlers:mine"}\n'


def list_jobs(repo: Schedule, *jobs: str) -> None:
    (repo.folder / "new.json").write_text(f"[{', '.join(jobs)}]")
    (repo.folder / "new.json").rename(repo.folder / "jobs.json")


def is_in_no_set(repo: Schedule, job: str) -> bool:
    return repo.places(job) == []


def test_jobs_come_and_go(schedule: Callable[..., Schedule]) -> None:
    """A newly listed job runs without a restart; an unlisted job leaves all sets after its current run."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        list_jobs(repo, '"a"', '"held"', '"off/c"', '{"name": "named", "every": "2s"}', '{"name": "bad name"}')
        pod = repo.pod()
        for job in ("a", "named"):
            repo.until_ran(job, 2)
        (invalid,) = pod.events(Event.JOBS_INVALID)[:1]
        assert "bad name" in invalid["jobs"]
        list_jobs(repo, '"a"', '"new"', '"off/c"')
        repo.until_ran("new", 2)
        wait_for(lambda: repo.places("named") == [], "`named` is unregistered")
        assert repo.places("held") == ["working"]
        (repo.folder / "released").touch()
        repo.until_ran("held")
        wait_for(lambda: repo.places("held") == [], "`held` has ended and is in no set")
        assert "off/c" not in repo.lines()
        (repo.folder / "jobs.json").write_text("{")
        pod.until(Event.JOBS_LIST_FAILED)
        times = len(repo.lines("end")["a"])
        repo.until_ran("a", times + 2)
        assert numbers(pod).of("scheduler_registered") == 2
        assert pod.end() == 0
        repo.assert_each_in_one_set(["a", "new"])


def test_the_leader_removes_unlisted_jobs(schedule: Callable[..., Schedule]) -> None:
    """Jobs of a spec that no pod runs any more, and foreign entries."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        list_jobs(repo, '"a"')
        repo.ask("HSET", KEYS.jobs, "former", "1000 500 0 1s 1")
        repo.ask("ZADD", KEYS.waiting, 4_000_000_000, "former", 4_000_000_000, "foreign", 4_000_000_000, "77")
        pod = repo.pod()
        repo.until_ran("a")
        for job in ("former", "foreign", "77"):
            wait_for(partial(is_in_no_set, repo, job), "the job is in no set")
        assert numbers(pod).by("scheduler_orphans_removed", "why") == {"numeric": 1, "unknown": 1}
        assert pod.end() == 0
        repo.assert_each_in_one_set(["a"])


def test_unlisted_jobs_are_removed_soon(schedule: Callable[..., Schedule]) -> None:
    """A new version lists fewer jobs; the others are soon gone, however rarely orphans are cleaned up."""
    spec = SPEC.replace("orphans: {every: 1s}", "orphans: {every: 1h}") + "work: {lease: 10s}\n"
    with schedule(handlers=HANDLERS, spec=spec) as repo:
        list_jobs(repo, '"a"')
        pod = repo.pod()
        repo.until_ran("a", 14, 180)  # by then the leader can judge, and its next cleanup of orphans is an hour away
        repo.ask("HSET", KEYS.jobs, "former", "1000 500 0 1s 1")
        repo.ask("ZADD", KEYS.waiting, 1, "former")
        wait_for(partial(is_in_no_set, repo, "former"), "the job is in no set")
        until_counted(pod, "scheduler_oldest_overdue_seconds", 0)
        assert pod.end() == 0
        repo.assert_each_in_one_set(["a"])


def test_patterns_change_without_a_restart(schedule: Callable[..., Schedule]) -> None:
    """A newly disabled job stops waiting, an enabled one runs; an invalid file changes nothing."""
    with schedule(handlers=HANDLERS, spec=SPEC) as repo:
        list_jobs(repo, '"a"', '"b"', '"off/c"')
        pod = repo.pod()
        repo.until_ran("b", 2)
        repo.write_spec(SPEC.replace("off/.*", "b"))
        wait_for(partial(is_in_no_set, repo, "b"), "`b` is disabled")
        repo.until_ran("off/c")
        assert pod.events(Event.PATTERNS_CHANGED)[0]["disabled"] == "b"
        repo.write_spec(SPEC.replace("off/.*", "("))
        pod.until(Event.SPEC_INVALID)
        (repo.folder / "specs" / "trial.yaml").write_text(PIPELINE)
        wait_for(lambda: "not a scheduler" in str(pod.events(Event.SPEC_INVALID)), "the wrong kind is logged")
        repo.until_ran("off/c", 3)
        assert repo.places("b") == []
        times = len(repo.lines("end")["b"])
        repo.write_spec(SPEC)
        repo.until_ran("b", times + 1)
        assert pod.end() == 0
        repo.assert_each_in_one_set(["a", "b"])


def test_each_pod_runs_its_shards(schedule: Callable[..., Schedule]) -> None:
    """When a shard moves, another pod runs its jobs without a restart."""
    names = [f"job-{number}" for number in range(12)]
    with schedule(handlers=HANDLERS, spec=SPEC + SHARDS) as repo:
        list_jobs(repo, *(f'"{name}"' for name in names))
        pods = []
        for number in range(2):
            (repo.folder / f"shards-{number}.json").write_text(f"[{number}]")
            pods.append(repo.pod(environ={"POD_NAME": str(number)}))
        for name in names:
            repo.until_ran(name, 2)
        by_job = {name: {line.worker for line in lines} for name, lines in repo.lines().items()}
        assert all(len(workers) == 1 for workers in by_job.values())
        assert set().union(*by_job.values()) == {pod.name for pod in pods}
        (repo.folder / "shards-0.json").write_text("[0, 1]")
        (repo.folder / "shards-1.json").write_text("[]")
        wait_for(
            lambda: all(pods[0].name in {line.worker for line in lines} for lines in repo.lines().values()),
            "the first pod has run every job",
        )
        for pod in pods:
            assert pod.end() == 0
        repo.assert_each_in_one_set(names)
