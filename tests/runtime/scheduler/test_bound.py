"""No script of a scheduler blocks Redis for longer than 5 ms, with a hundred thousand jobs."""

from collections.abc import Sequence
from typing import Literal

from command_costs import Meter, MeteredLink
from event_loop import run_async
from servers import Server

from penstock.scheduler.acquiring import INSPECTED, MOST_SKIPPED
from penstock.scheduler.history import PastRun
from penstock.scheduler.job_steps import (
    MOST,
    MOST_BY_PEOPLE,
    MOST_REGISTERED,
    NAMES,
    PAGE,
    AcquiredJob,
    EndedRun,
    JobAnswer,
    JobEntry,
    JobSteps,
    StepTerms,
    load,
)
from penstock.scheduler.orphan_cleanup import PRUNED
from penstock.scheduler.run_record import RunRecord
from penstock.wire.credentials import Credentials
from penstock.wire.route import Route
from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys

BOUND = 5.0
"""ms."""
JOBS = 100_000
SHARDS = 10
KEYS = SchedulerKeys.of(KeyNames())
CONSUMER = "scheduler-7c9d8b6f5-x2x4z~01234567"
LEASE = 3_600_000
ROUNDS = 10
ENOUGH = 21
"""Calls of each script, so that the meter ignores one in which the machine stood still."""
LARGEST = 1000
"""The highest limit of a label."""
COMMANDS: tuple[Literal["pause", "run_now", "resume"], ...] = ("pause", "run_now", "resume", "run_now")
OVERDUE = "for _, one in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZADD', KEYS[1], 1, one) end"


def name(number: int) -> str:
    return f"account-{number % 97}/eu-west-{number % 3}/CachingAgent-{number:06}"


def entries(numbers: Sequence[int], due: int, *, schedule: str = "30s") -> list[JobEntry]:
    """Jobs that differ in all properties, so that no script reuses a parsed value."""
    return [
        JobEntry(name(n), f"{60_000 + n} {n % 1000} {n % SHARDS} {schedule}", n % 1000, due - n % 61, due)
        for n in numbers
    ]


def ended_run(one: AcquiredJob) -> EndedRun:
    record = RunRecord(
        one.due, one.acquired, one.acquired + 1, "failed", "throttled", 7, one.due + 60, one.fence, CONSUMER
    )
    past = PastRun(
        record.ended, one.due, one.acquired, "failed", 7, "throttled", "httpx.ReadTimeout", "a/b.py:7", CONSUMER
    )
    return EndedRun(one.name, one.score, record.next, record.write(), past=past.write())


class Crowd:
    """A hundred thousand jobs on one server, and a metered link to it."""

    def __init__(self, server: Server) -> None:
        self.meter = Meter(server.pid)
        self._server = server
        self.link = MeteredLink(Route.to(server.model(), "", credentials=Credentials()), self.meter)
        self.steps = JobSteps(self.link, KEYS, terms=StepTerms(keep=5, age=604_800))
        self.second = 0

    async def fill(self) -> None:
        """Register all jobs, due now."""
        self.second = await self.steps.time() // 1000
        await self.register(range(JOBS))
        await self.steps.lease(CONSUMER, LEASE, "begin")

    async def register(self, numbers: range, *, schedule: str = "30s") -> None:
        for at in range(0, len(numbers), MOST_REGISTERED):
            page = numbers[at : at + MOST_REGISTERED]
            await self.steps.register(entries(page, self.second, schedule=schedule))

    async def compile(self) -> None:
        """Load each script. Redis compiles it once after a restart, so this is no part of its runs."""
        for _ in range(ENOUGH):
            await self.link.call("SCRIPT", "FLUSH")
            for script in NAMES:
                before = self.meter.ran()
                self._server.ask("SCRIPT", "LOAD", load(script).text)
                self.meter.add(f"compile {script}", self.meter.ran() - before)

    async def take(self, *, most: int = MOST, shards: str = "*", skip: Sequence[str] = ()) -> list[EndedRun]:
        result = await self.steps.acquire(CONSUMER, most, look=INSPECTED, shards=shards, skip=skip)
        assert result is not None
        return [ended_run(one) for one in result.jobs]

    async def as_a_pod(self) -> None:
        """Register, acquire and hand back."""
        steps, second = self.steps, self.second
        await self.register(range(ROUNDS * MOST), schedule="1m")
        unregistered = [name(JOBS + n) for n in range(MOST_SKIPPED)]
        for shard in range(SHARDS):
            # First nine of ten inspected jobs belong to other shards, then all of them.
            runs = await self.take(shards=f",{shard},", skip=unregistered)
            assert runs
            await steps.release(runs)
            assert not await self.take(shards=",77,")
            for _ in range(ENOUGH // SHARDS + 1):
                await steps.look(",3,")
                await steps.lead(CONSUMER, LEASE)
                await steps.lease(CONSUMER, LEASE, "renew")
        for _ in range(ROUNDS * 4):
            result = await steps.acquire(CONSUMER, MOST, look=INSPECTED)
            assert result is not None
            assert await steps.keep(result.jobs) == MOST
            runs = [ended_run(one) for one in result.jobs]
            assert set(await steps.give_up(runs)) == {JobAnswer.DONE}
            for at in range(0, MOST, MOST_BY_PEOPLE):
                await steps.change("resume", [run.name for run in runs[at : at + MOST_BY_PEOPLE]])
        for _ in range(ROUNDS * 4):
            result = await steps.acquire(CONSUMER, MOST, look=INSPECTED)
            assert result is not None
            assert set(await steps.complete([ended_run(one) for one in result.jobs])) == {JobAnswer.DONE}
        for _ in range(ENOUGH):
            await steps.release([one._replace(due=second) for one in await self.take()])
        await steps.held_by(CONSUMER)
        for shards in ("*", ",3,"):
            await steps.look(shards)

    async def as_a_person(self) -> None:
        """List and change jobs."""
        for n in range(ENOUGH):
            names = [name(one) for one in range(n * MOST_BY_PEOPLE, (n + 1) * MOST_BY_PEOPLE)]
            for command in COMMANDS:
                await self.steps.change(command, names)

    async def as_the_leader(self) -> None:
        """Clean up after lost pods, and remove foreign entries."""
        for n in range(100):
            self._server.ask("ZADD", KEYS.pods, 1, f"lost-{n}~01234567")
        for _ in range(ROUNDS * 4):
            assert len(await self.take()) == MOST
        self._server.ask("EVAL", OVERDUE, 1, KEYS.working)
        await self.clean("working")
        assert self._server.ask("ZCARD", KEYS.working) == 0
        # half of the waiting entries are unregistered, or numbers
        numbers = [value for n in range(JOBS // 4) for value in (1, 10_000_000 + n)]
        for at in range(0, len(numbers), 10_000):
            self._server.ask("ZADD", KEYS.waiting, *numbers[at : at + 10_000])
        self._server.ask("HDEL", KEYS.jobs, *(name(n) for n in range(JOBS // 4)))
        await self.clean("waiting")
        assert self._server.ask("ZCARD", KEYS.waiting) == self._server.ask("HLEN", KEYS.jobs) == JOBS * 3 // 4
        for at in range(JOBS // 2, JOBS // 2 + ROUNDS * 4 * PAGE, PAGE):
            await self.steps.unregister([name(n) for n in range(at, at + PAGE)], unseen_since=self.second + 60)
        runs = " ".join(f"{self.second}.{n:06} {name(JOBS - n)}" for n in range(1, 1001))
        groups = [f"account={n}".encode() for n in range(PRUNED)]
        for _ in range(ENOUGH):
            for group in groups:
                self._server.ask("HSET", KEYS.limits, group, runs)
            assert await self.steps.prune(groups) == PRUNED

    async def with_limits(self) -> None:
        """Go through due jobs of full and nearly full limits, and others, from various starts."""
        steps = JobSteps(self.link, KEYS, terms=StepTerms(limits={"account": LARGEST}))
        second = await steps.time() // 1000
        await steps.lease(CONSUMER, LEASE, "begin")
        entry_of: dict[str, str] = {}
        for group, size in (("some", LARGEST // 2 - 1), ("most", LARGEST - 1), *((str(n), LARGEST) for n in range(8))):
            runs = [word for n in range(size) for word in (f"{second + 60}.{n:06}", f"{group}/{name(n)}")]
            entry_of[f"account={group}"] = " ".join(runs)
            self._server.ask("ZADD", KEYS.working, *runs)
        accounts = [*["most", "some"], *[None] * (MOST - 2), *["most", "some"], *(n % 8 for n in range(MOST))]
        jobs = [
            JobEntry(f"j-{n}", f"{n} 9 0 30s{'' if one is None else f' account={one}'}", 9, second - 9999 + n, 0)
            for n, one in enumerate(accounts)
        ]
        for at in range(0, len(jobs), MOST_REGISTERED):
            await steps.register(jobs[at : at + MOST_REGISTERED])
        for _ in range(ENOUGH):
            further = done = 0
            taken: list[EndedRun] = []
            for group, entry in entry_of.items():
                self._server.ask("HSET", KEYS.limits, group, entry)
            has_more = True
            while has_more:
                result = await steps.acquire(CONSUMER, MOST, look=INSPECTED, further=further)
                assert result is not None
                further, done = result.further, done + len(result.jobs)
                has_more = further != 0 or len(result.jobs) == MOST
                taken += [ended_run(one)._replace(due=one.due) for one in result.jobs]
            assert done >= MOST - 2, "all jobs without an account"
            for at in range(0, len(taken), MOST):
                await steps.release(taken[at : at + MOST])

    async def clean(self, which: Literal["working", "waiting"]) -> None:
        further = 0
        while further >= 0:
            page = await self.steps.clean(
                which, further, threshold=1, judges=True, shards="*", removes_numeric=True, lease=1,
                waits_for_deadline=False,
            )  # fmt: skip
            further = page.further

    def check(self) -> None:
        assert not self.meter.over(BOUND), f"over {BOUND} ms\n{self.meter.table()}"


def test_no_script_blocks_redis_with_a_hundred_thousand_jobs(server: Server) -> None:
    """Each call has the largest allowed number of names, and all jobs have different properties."""

    async def call_every_script(crowd: Crowd) -> None:
        await crowd.compile()
        await crowd.fill()
        await crowd.as_a_pod()
        await crowd.as_a_person()
        await crowd.as_the_leader()
        await crowd.link.close()

    crowd = Crowd(server)
    run_async(call_every_script(crowd))
    crowd.meter.show()
    assert set(NAMES) <= set(crowd.meter.worst), "every script was called"
    crowd.check()


def test_full_limits_block_redis_no_longer(server: Server) -> None:
    """Ten accounts run a thousand jobs each, the most that a limit allows."""

    async def acquire(crowd: Crowd) -> None:
        await crowd.compile()
        await crowd.with_limits()
        await crowd.link.close()

    crowd = Crowd(server)
    run_async(acquire(crowd))
    crowd.meter.show()
    crowd.check()
