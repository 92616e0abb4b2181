"""With `cleanup.orphans.force_all_pods` there is no leader, and each pod cleans up its own shards."""

from collections.abc import Callable
from functools import partial

from http_probes import numbers, until_counted
from scheduler_processes import KEYS, Schedule
from servers import wait_for

HANDLERS = """\
import json, os, pathlib

async def handle(job, context):
    pass

def jobs():
    return [{"name": f"shard-{shard}-{number}", "shard": shard} for shard in range(2) for number in range(5)]

def mine():
    return [int(os.environ["POD_NAME"])]
"""
SPEC = """\
jobs: "handlers:jobs"
each: {cron: "0 3 1 1 *", timeout: 1h}
shards: {count: 2, mine: "handlers:mine"}
work: {lease: 10s}
"""
FORCED = "cleanup: {orphans: {every: 1s, force_all_pods: true}}\n"
LOST = "lost~01234567"


def orphan_all(repo: Schedule) -> None:
    """Let a lost pod hold all jobs."""
    for shard in range(2):
        for number in range(5):
            job = f"shard-{shard}-{number}"
            repo.ask("HSET", KEYS.jobs, job, f"3600000 500 {shard} cron:1 1")
            repo.ask("HSET", KEYS.owners, job, f"4000000000 {LOST}")  # due after the test, so that no pod runs it
            repo.ask("ZADD", KEYS.working, f"1000000{number}.5", job)


def places(repo: Schedule, shard: int) -> set[str]:
    return {place for number in range(5) for place in repo.places(f"shard-{shard}-{number}")}


def is_handed_back(repo: Schedule, shard: int) -> bool:
    return places(repo, shard) == {"waiting"}


def test_each_pod_hands_back_the_jobs_of_its_shards(schedule: Callable[..., Schedule]) -> None:
    """And no others. No leader is elected."""
    with schedule(handlers=HANDLERS, spec=SPEC + FORCED) as repo:
        orphan_all(repo)
        first = repo.pod(environ={"POD_NAME": "0"})
        wait_for(partial(is_handed_back, repo, 0), "the jobs of shard 0 are handed back")
        passes = numbers(first).of("scheduler_pass", what="orphans")
        wait_for(
            lambda: numbers(first).of("scheduler_pass", what="orphans") > passes, "the first pod has cleaned up again"
        )
        assert places(repo, 1) == {"working"}
        second = repo.pod(environ={"POD_NAME": "1"})
        wait_for(partial(is_handed_back, repo, 1), "the jobs of shard 1 are handed back")
        for pod in (first, second):
            until_counted(pod, "scheduler_orphans_returned", 5)
            assert numbers(pod).of("scheduler_leader") == 0
        assert repo.ask("GET", KEYS.cleanup_leader) is None
        for pod in (first, second):
            assert pod.end() == 0


def test_by_default_the_leader_hands_back_the_jobs_of_all_shards(schedule: Callable[..., Schedule]) -> None:
    with schedule(handlers=HANDLERS, spec=SPEC + "cleanup: {orphans: {every: 1s}}\n") as repo:
        orphan_all(repo)
        pod = repo.pod(environ={"POD_NAME": "0"})
        wait_for(lambda: is_handed_back(repo, 0) and is_handed_back(repo, 1), "the jobs of both shards are handed back")
        assert numbers(pod).of("scheduler_leader") == 1
        assert repo.ask("GET", KEYS.cleanup_leader) is not None
        assert pod.end() == 0
