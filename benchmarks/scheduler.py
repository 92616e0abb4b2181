"""Measures a scheduler: its scripts, compared with a lock per job; and complete pods, one of which is killed.

The first part runs in one process on one server. A hundred thousand jobs are registered and due; batches of them are
acquired and completed over separate connections, as in a pod, with deadlines, owners, fences and records. For
comparison, a simple handwritten scheduler takes a lock per job with SET NX PX over redis-py and releases it with the
usual script; another row shows the same over Penstock's faster transport. Rounds alternate, and the best of each
counts, as other load can only slow them down.

The second part measures the jobs per second of one pod, and the lateness of a thousand jobs that run every second.
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
from server import Redis
from table import report

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
"""Jobs per round with locks, which takes about as long as a round with scripts."""
EVERY_SECOND, SECONDS, KILLED_AFTER = 1000, 40, 15
WARM = 10
"""Seconds before lateness counts, for pods to start and new jobs to run once."""
KEYS = SchedulerKeys.of(KeyNames())
CONSUMER, TTL, AT_A_TIME, PAIRS = "bench", 300_000, 50, 2
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
    """Typical names of jobs."""
    return [f"account-{n % 97}/region-{n % 13}/{n:06}" for n in range(count)]


def link_to(server: Embedded) -> Link:
    """A link of the runtime's own transport."""
    return Link(Route.to(Where(addresses=[server.address]), "", credentials=Credentials()), name="bench")


async def register(steps: JobSteps, jobs: list[str], due: int) -> None:
    """Register all jobs, due now."""
    for at in range(0, len(jobs), MOST):
        await steps.register([JobEntry(name, "60000 500 0 1h", 500, due, due) for name in jobs[at : at + MOST]])


async def registered(server: Embedded) -> None:
    """Register the same jobs for both variants."""
    link = link_to(server)
    steps = JobSteps(link, KEYS)
    await register(steps, names(JOBS), await steps.time() // 1000)
    await link.close()


async def moved_by_scripts(server: Embedded) -> float:
    """Jobs acquired and completed per second, with scripts."""
    await registered(server)
    links = [link_to(server) for _ in range(2 * PAIRS)]
    steps = [JobSteps(link, KEYS) for link in links]
    await steps[0].lease(CONSUMER, TTL, "begin")
    for one in steps:
        await one.time()
    ended: asyncio.Queue[list[EndedRun]] = asyncio.Queue(PAIRS)

    async def take(taker: JobSteps) -> None:
        while (took := await taker.acquire(CONSUMER, MOST, look=MOST)) is not None and took.jobs:
            await ended.put([_ended(one) for one in took.jobs])

    async def settle(settler: JobSteps) -> None:
        while True:
            answers = await settler.complete(await ended.get())
            assert all(one is JobAnswer.DONE for one in answers)  # noqa: S101 - nothing else may happen
            ended.task_done()

    start = time.perf_counter()
    settling = [asyncio.create_task(settle(one)) for one in steps[PAIRS:]]
    await asyncio.gather(*map(take, steps[:PAIRS]))
    await ended.join()
    seconds = time.perf_counter() - start
    for task in settling:
        task.cancel()
    for link in links:
        await link.close()
    return JOBS / seconds


def _ended(one: AcquiredJob) -> EndedRun:
    record = RunRecord(one.due, one.acquired, one.acquired, "ok", "", 0, one.due + 3600, one.fence, CONSUMER)
    return EndedRun(one.name, one.score, record.next, record.write())


async def locked(server: Embedded) -> float:
    """The same with a lock per job, fifty jobs at a time."""
    client = redis.asyncio.Redis(port=server.port)
    unlock = client.register_script(RELEASE)
    semaphore = asyncio.Semaphore(AT_A_TIME)

    async def run(name: str) -> None:
        async with semaphore:
            if await client.set(f"lock:{name}", CONSUMER, nx=True, px=TTL):
                await unlock(keys=[f"lock:{name}"], args=[CONSUMER])

    start = time.perf_counter()
    await asyncio.gather(*map(run, names(LOCKED)))
    seconds = time.perf_counter() - start
    await client.aclose()
    return LOCKED / seconds


async def locked_over_link(server: Embedded) -> float:
    """The same with locks, sequentially, over Penstock's transport."""
    link = link_to(server)
    sha = await link.call("SCRIPT", "LOAD", RELEASE)
    assert isinstance(sha, bytes)  # noqa: S101 - a reply of Redis
    start = time.perf_counter()
    for name in names(LOCKED):
        if await link.call("SET", f"lock:{name}", CONSUMER, "NX", "PX", TTL) is not None:
            await link.call("EVALSHA", sha, 1, f"lock:{name}", CONSUMER)
    seconds = time.perf_counter() - start
    await link.close()
    return LOCKED / seconds


@dataclass(frozen=True, slots=True)
class Pods:
    """A repository with a scheduler, and its pods."""

    folder: Path
    url: str

    @contextmanager
    def run(self, pods: int, jobs: int, spec: str) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Start pods, each with its own HTTP port."""
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
        """A file in which handlers record when they ran, and how late."""
        return self.folder / "out"

    def ran(self) -> list[tuple[float, float]]:
        """All recorded runs."""
        if not self.out.exists():
            return []
        rows = (line.split() for line in self.out.read_text().splitlines())
        return [(float(at), float(late)) for at, late in rows]

    def commands(self, pod: int) -> float:
        """The number of commands that a pod has sent to Redis."""
        with urllib.request.urlopen(f"http://127.0.0.1:{18_300 + pod}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(one for one in lines if one.startswith("penstock_scheduler_redis_seconds_count")).split()[-1])


def wait(condition: Callable[[], object], seconds: float = 300) -> None:
    """Wait until the condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise SystemExit("timeout")
        time.sleep(0.05)


def pod_rate(pods: Pods, client: Redis) -> float:
    """Jobs per second of one pod, when all are due."""
    client.ask("FLUSHALL")
    client.ask("ZADD", KEYS.paused, 0, "*")

    def is_done() -> bool:
        due = client.ask("ZCOUNT", KEYS.waiting, "-inf", int(time.time()) + 60)
        return not due and not client.ask("ZCARD", KEYS.working)

    with pods.run(1, JOBS, "each: {every: 1h, timeout: 1m}\nwork: {concurrency: 1000}\n"):
        wait(lambda: client.ask("ZCARD", KEYS.waiting) == JOBS)
        client.ask("ZREM", KEYS.paused, "*")
        start = time.monotonic()
        wait(is_done)
        return JOBS / (time.monotonic() - start)


def lateness(pods: Pods, client: Redis) -> tuple[float, float]:
    """The p99 of the lateness in seconds, and commands to Redis per job."""
    client.ask("FLUSHALL")
    spec = "each: {every: 1s, timeout: 1s}\nwork: {concurrency: 1000, lease: 10s}\n"
    with pods.run(3, EVERY_SECOND, spec) as processes:
        wait(lambda: len(pods.ran()) >= EVERY_SECOND * WARM)
        since, start = [pods.commands(n) for n in range(3)], time.time()
        time.sleep(KILLED_AFTER)
        sent = sum(pods.commands(n) - since[n] for n in range(3))
        jobs = sum(at >= start for at, _ in pods.ran())
        processes[0].kill()
        time.sleep(SECONDS - KILLED_AFTER)
        late = sorted(late for at, late in pods.ran() if at >= start)
    if len(late) < 0.9 * EVERY_SECOND * SECONDS:
        raise SystemExit(f"only {len(late)} runs in {SECONDS} s")
    return late[int(len(late) * 0.99)], sent / jobs


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, Embedded() as server:
        client = Redis(server.port)
        scripts, locks, own_transport = [], [], []
        for _ in range(ROUNDS):
            client.ask("FLUSHALL")
            scripts.append(uvloop.run(moved_by_scripts(server)))
            client.ask("FLUSHALL")
            uvloop.run(registered(server))
            locks.append(uvloop.run(locked(server)))
            own_transport.append(uvloop.run(locked_over_link(server)))
        pods = Pods(Path(folder), f"redis://{server.address}")
        rate = pod_rate(pods, client)
        late, commands = lateness(pods, client)
    ratio = max(scripts) / max(locks)
    report(
        [
            ("jobs registered", f"{JOBS:,}"),
            ("jobs/s acquired and completed, with locks", f"{max(locks):,.0f}"),
            ("jobs/s with locks over Penstock's transport", f"{max(own_transport):,.0f}"),
            ("jobs/s acquired and completed, with scripts", f"{max(scripts):,.0f}"),
            ("jobs/s of one pod, with handlers", f"{rate:,.0f}"),
            ("Redis commands per job", f"{commands:.3f}"),
            ("lateness of 1,000 jobs per second, p99", f"{late:.3f} s"),
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
