"""How a scheduler gets on: beside one with a lock a job, and by the second with three pods of which one is killed.

First what moving jobs costs, in one process, on one server: a hundred thousand jobs are registered and due. Each is
acquired and completed a batch at a time, over connections for taking and for handing back
as in a pod, with all that a hand-over has (deadlines,
owners, fences, stories). Beside it the scheduler that people write by hand, over the usual client: a lock a job, taken
with SET NX PX and given back by the usual script, and nothing else. The table tells too how that does on our own
transport, which is quicker than that client. Rounds alternate, and the best of
each counts: whatever else this machine does can only make one slower.

Then whole pods: how many jobs one runs a second, and how late a thousand jobs every second are.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis.asyncio
import uvloop
from drain import Redis
from table import tell

from penstock.embedded import Embedded
from penstock.scheduler.job_steps import MOST, AcquiredJob, EndedRun, JobAnswer, JobEntry, JobSteps
from penstock.scheduler.run_record import RunRecord
from penstock.wire.credentials import Credentials
from penstock.wire.link import Link
from penstock.wire.route import Route
from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys
from penstock_spec.platform import Redis as Where

HERE = Path(__file__).parent
JOBS, ROUNDS = 100_000, 8
LOCKED = 10_000
"""Jobs of a round with locks: it takes about as long as one with scripts, and is disturbed as seldom."""
EVERY_SECOND, SECONDS, KILLED_AFTER = 1000, 40, 15
WARM = 10
"""Seconds before lateness counts: pods start, and a new job is due at once."""
KEYS = SchedulerKeys.of(KeyNames())
LIFE, TTL, AT_A_TIME, PAIRS = "bench", 300_000, 50, 2
RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
PLATFORM = """\
kind: platform
environments:
  dev: {namespace: bench, redis: {addresses: ["127.0.0.1:6379"]}}
"""
SPEC = """\
kind: scheduler
name: bench
owner: {team: bench}
handler: jobs:handle
image: registry.example/bench:1.0.0
jobs: "jobs:jobs"
"""
HANDLERS = """\
import os, time

OUT = os.open(os.environ["BENCH_OUT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

def jobs():
    return [f"account-{n % 97}/region-{n % 13}/{n:06}" for n in range(int(os.environ["BENCH_JOBS"]))]

async def handle(job, context):
    os.write(OUT, b"%.3f %.3f\\n" % (time.time(), time.time() - context.due))
"""


def names(count: int) -> list[str]:
    """As agents are called."""
    return [f"account-{n % 97}/region-{n % 13}/{n:06}" for n in range(count)]


def link_to(server: Embedded) -> Link:
    """The runtime's own transport, for both."""
    return Link(Route.to(Where(addresses=[server.address]), "", credentials=Credentials()), name="bench")


async def register(steps: JobSteps, jobs: list[str], due: int) -> None:
    """All of them, due now."""
    for at in range(0, len(jobs), MOST):
        await steps.register([JobEntry(name, "60000 500 0 1h", 500, due, due) for name in jobs[at : at + MOST]])


async def registered(server: Embedded) -> None:
    """What is in Redis is the same for both."""
    link = link_to(server)
    steps = JobSteps(link, KEYS)
    await register(steps, names(JOBS), await steps.time() // 1000)
    await link.close()


async def moved(server: Embedded) -> float:
    """Jobs acquired and completed a second, by scripts."""
    await registered(server)
    links = [link_to(server) for _ in range(2 * PAIRS)]
    steps = [JobSteps(link, KEYS) for link in links]
    await steps[0].lease(LIFE, TTL, "begin")
    for one in steps:
        await one.time()
    ended: asyncio.Queue[list[EndedRun]] = asyncio.Queue(PAIRS)

    async def take(taker: JobSteps) -> None:
        while (took := await taker.acquire(LIFE, MOST, look=MOST)) is not None and took.jobs:
            await ended.put([_ended(one) for one in took.jobs])

    async def settle(settler: JobSteps) -> None:
        while True:
            answers = await settler.complete(await ended.get())
            assert all(one is JobAnswer.DONE for one in answers)  # noqa: S101 - as they must be
            ended.task_done()

    began = time.perf_counter()
    settling = [asyncio.create_task(settle(one)) for one in steps[PAIRS:]]
    await asyncio.gather(*map(take, steps[:PAIRS]))
    await ended.join()
    seconds = time.perf_counter() - began
    for task in settling:
        task.cancel()
    for link in links:
        await link.close()
    return JOBS / seconds


def _ended(one: AcquiredJob) -> EndedRun:
    story = RunRecord(one.due, one.acquired, one.acquired, "ok", "", 0, one.due + 3600, one.fence, LIFE)
    return EndedRun(one.name, one.score, story.next, story.write())


async def locked(server: Embedded) -> float:
    """The same as people write it: a lock a job, fifty jobs at a time."""
    client = redis.asyncio.Redis(port=server.port)
    unlock = client.register_script(RELEASE)
    some = asyncio.Semaphore(AT_A_TIME)

    async def run(name: str) -> None:
        async with some:
            if await client.set(f"lock:{name}", LIFE, nx=True, px=TTL):
                await unlock(keys=[f"lock:{name}"], args=[LIFE])

    began = time.perf_counter()
    await asyncio.gather(*map(run, names(LOCKED)))
    seconds = time.perf_counter() - began
    await client.aclose()
    return LOCKED / seconds


async def locked_by_us(server: Embedded) -> float:
    """The same, one after the other, on our own transport."""
    link = link_to(server)
    sha = await link.call("SCRIPT", "LOAD", RELEASE)
    assert isinstance(sha, bytes)  # noqa: S101 - as Redis answers
    began = time.perf_counter()
    for name in names(LOCKED):
        if await link.call("SET", f"lock:{name}", LIFE, "NX", "PX", TTL) is not None:
            await link.call("EVALSHA", sha, 1, f"lock:{name}", LIFE)
    seconds = time.perf_counter() - began
    await link.close()
    return LOCKED / seconds


@dataclass(frozen=True, slots=True)
class Pods:
    """A repository in a folder, and pods that run its scheduler."""

    folder: Path
    url: str

    @contextmanager
    def run(self, pods: int, jobs: int, spec: str) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Each answers over HTTP at a port of its own."""
        (self.folder / "specs").mkdir(exist_ok=True)
        (self.folder / "specs" / "bench.yaml").write_text(SPEC + spec)
        (self.folder / "penstock.yaml").write_text(PLATFORM)
        (self.folder / "jobs.py").write_text(HANDLERS)
        self.out.unlink(missing_ok=True)
        environ = {**os.environ, "BENCH_OUT": str(self.out), "BENCH_JOBS": str(jobs), "LOG_LEVEL": "WARNING"}
        words = [sys.executable, "-m", "penstock", "scheduler", "run", "bench", "--redis", self.url]
        processes = [
            subprocess.Popen(  # noqa: S603 - our own command
                [*words, "--listen", f"127.0.0.1:{18_300 + n}"],
                cwd=self.folder,
                env=environ,
                stderr=(self.folder / f"log-{n}").open("wb"),
            )
            for n in range(pods)
        ]
        try:
            yield processes
        finally:
            for one in processes:
                one.kill()
                one.wait()

    @property
    def out(self) -> Path:
        """What handlers say: when they ran, and how late."""
        return self.folder / "out"

    def ran(self) -> list[tuple[float, float]]:
        """All of it."""
        if not self.out.exists():
            return []
        rows = (line.split() for line in self.out.read_text().splitlines())
        return [(float(at), float(late)) for at, late in rows]

    def commands(self, pod: int) -> float:
        """That a pod has sent to Redis."""
        with urllib.request.urlopen(f"http://127.0.0.1:{18_300 + pod}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(one for one in lines if one.startswith("penstock_scheduler_redis_seconds_count")).split()[-1])


def wait(what: Callable[[], object], seconds: float = 300) -> None:
    """Until it is so."""
    until = time.monotonic() + seconds
    while not what():
        if time.monotonic() > until:
            raise SystemExit("it takes too long")
        time.sleep(0.05)


def pod_rate(pods: Pods, asked: Redis) -> float:
    """Jobs that one pod runs a second, all being due."""
    asked.ask("FLUSHALL")
    asked.ask("ZADD", KEYS.paused, 0, "*")

    def is_done() -> bool:
        due = asked.ask("ZCOUNT", KEYS.waiting, "-inf", int(time.time()) + 60)
        return not due and not asked.ask("ZCARD", KEYS.working)

    with pods.run(1, JOBS, "each: {every: 1h, timeout: 1m}\nwork: {concurrency: 1000}\n"):
        wait(lambda: asked.ask("ZCARD", KEYS.waiting) == JOBS)
        asked.ask("ZREM", KEYS.paused, "*")
        began = time.monotonic()
        wait(is_done)
        return JOBS / (time.monotonic() - began)


def lateness(pods: Pods, asked: Redis) -> tuple[float, float]:
    """Its 99th percentile in seconds, and commands to Redis a job."""
    asked.ask("FLUSHALL")
    spec = "each: {every: 1s, timeout: 1s}\nwork: {concurrency: 1000, lease: 10s}\n"
    with pods.run(3, EVERY_SECOND, spec) as processes:
        wait(lambda: len(pods.ran()) >= EVERY_SECOND * WARM)
        since, began = [pods.commands(n) for n in range(3)], time.time()
        time.sleep(KILLED_AFTER)
        sent = sum(pods.commands(n) - since[n] for n in range(3))
        jobs = sum(at >= began for at, _ in pods.ran())
        processes[0].kill()
        time.sleep(SECONDS - KILLED_AFTER)
        late = sorted(late for at, late in pods.ran() if at >= began)
    if len(late) < 0.9 * EVERY_SECOND * SECONDS:
        raise SystemExit(f"only {len(late)} runs in {SECONDS} s")
    return late[int(len(late) * 0.99)], sent / jobs


def main() -> None:
    """Measure, and tell."""
    with tempfile.TemporaryDirectory() as folder, Embedded() as server:
        asked = Redis(server.port)
        ours, theirs, same = [], [], []
        for _ in range(ROUNDS):
            asked.ask("FLUSHALL")
            ours.append(uvloop.run(moved(server)))
            asked.ask("FLUSHALL")
            uvloop.run(registered(server))
            theirs.append(uvloop.run(locked(server)))
            same.append(uvloop.run(locked_by_us(server)))
        pods = Pods(Path(folder), f"redis://{server.address}")
        rate = pod_rate(pods, asked)
        late, commands = lateness(pods, asked)
    ratio = max(ours) / max(theirs)
    tell(
        [
            ("jobs registered", f"{JOBS:,}"),
            ("acquired and completed a second, by a lock each", f"{max(theirs):,.0f}"),
            ("the same on our own transport", f"{max(same):,.0f}"),
            ("acquired and completed a second, by scripts", f"{max(ours):,.0f}"),
            ("one pod, jobs run a second with handlers", f"{rate:,.0f}"),
            ("Redis commands a job", f"{commands:.3f}"),
            ("lateness of 1,000 jobs every second, p99", f"{late:.3f} s"),
        ],
        {
            "ratio_to_locks": round(ratio, 2),
            "commands_per_job": round(commands, 4),
            "lateness_p99_s": round(late, 3),
            "pod_jobs_per_s": round(rate),
        },
    )


if __name__ == "__main__":
    main()
