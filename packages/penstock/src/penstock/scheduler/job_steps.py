"""The steps of jobs: one script each, with typed arguments and replies. Each step may raise RedisTrouble."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from penstock.scheduler.due_times import LONGEST
from penstock.scheduler.limits import limits_word
from penstock.scheduler.run_record import RunRecord
from penstock.scripts import Script, script
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.keys import SchedulerKeys
from penstock_spec.kinds.scheduler.spec import Scheduler

SCRIPTS = Path(__file__).parent / "scripts"
NAMES = tuple(sorted(path.stem for path in SCRIPTS.glob("*.lua")))
"""The names of all scripts."""
MOST = 200
"""Most names in one call. A script then blocks Redis for at most 3 ms; the limit is 5 ms."""
MOST_REGISTERED = 150
"""Most jobs in one registration, whose script reads three sets and a value of each, and writes to two keys."""
MOST_COMPLETED = 125
"""Most runs in one call that ends them, whose script writes four keys of each job."""
PAGE = 75
"""Most names on a page of a cleanup or an unregistration, which read and write all values of each job."""
MOST_BY_PEOPLE = 75
"""Most names in a call by a person, whose scripts go through the names one by one."""
MILLIONTHS = 1_000_000
ALL = "*"
CleanedSet: TypeAlias = Literal["working", "overdue", "waiting"]
"""What a cleanup goes through: all runs, those whose deadline is over, or the waiting jobs."""
LEAD = "lead"


class JobAnswer(IntEnum):
    """The result for a job that was handed back, or that a person named."""

    UNKNOWN = 0
    DONE = 1
    ANOTHERS = 2
    """Another run has the job. After a person's call: the job runs."""
    NOT_HELD = 3
    """No run has the job. After a person's call: the job was in this state before."""
    RUNS_AFTER = 4
    """After a person's call: the job runs, and runs again right after."""
    REPLACED = 5
    """After a person's call: the job runs, and another run replaces that one."""


JOB_ANSWERS = tuple(JobAnswer)
"""By the numbers in the scripts' replies."""


class AcquiredJob(NamedTuple):
    """A job that this pod acquired."""

    name: str
    due: int
    """The second at which it was due."""
    score: int
    """Its score in the working set, in microseconds. It must match when the job is handed back."""
    fence: int
    """Grows with each run of a job."""
    acquired: float
    """When it was acquired, in Redis time, in seconds."""
    last_run: RunRecord | None
    """The record of the previous run."""

    @property
    def deadline(self) -> int:
        """The second in Redis time after which others may treat the run as hung."""
        return self.score // MILLIONTHS

    @property
    def is_suspect(self) -> bool:
        """Whether the job may be what crashes its pods."""
        return self.last_run is not None and self.last_run.is_suspect

    @property
    def begun(self) -> bool:
        """Whether a run for this second started before and did not finish."""
        return self.last_run is not None and self.last_run.was_begun(self.due)


@dataclass(frozen=True, slots=True)
class AcquireResult:
    """The reply to one acquire."""

    asof: int
    """Redis time in milliseconds."""
    further: int
    """How many due jobs the next call skips; 0 if all were inspected; -1 if not, and the next call skips none."""
    others: int
    passed: int
    unknown: int
    limited: int
    """Due jobs that wait for a limit of their labels."""
    jobs: Sequence[AcquiredJob]


@dataclass(frozen=True, slots=True)
class JobEntry:
    """A job as it is registered."""

    name: str
    registration: str
    """The job's settings for scripts: timeout, priority, shard, schedule, and its limited labels if it has any."""
    priority: int
    due: int
    latest: int


class EndedRun(NamedTuple):
    """A run to hand back to Redis; without a record, the job did not run."""

    name: str
    score: int
    due: int
    record: bytes | None
    failures: int = 0
    """If the job is to be paused because it failed too often: how often in a row."""
    past: bytes = b""
    """Its line in the history."""


@dataclass(frozen=True, slots=True)
class StepTerms:
    """What the spec says about the steps. Without it, no history is kept and no label is limited."""

    keep: int = 0
    age: int = 0
    """Runs in the history of a job, and their age in seconds."""
    limits: Mapping[str, int] = field(default_factory=dict)
    pause_after: int = 0
    """Failures in a row after which a job is paused; 0 for never."""
    wait: tuple[int, float, int, float] = (0, 1.0, 0, 0.0)
    """After lost runs in a row: the first wait in milliseconds, its growth, the longest, and the random share."""

    @classmethod
    def of(cls, spec: Scheduler) -> Self:
        """The terms of a spec."""
        failures, lost = spec.failures, spec.failures.lost
        longest = LONGEST if lost.limit is None else lost.limit.amount
        wait = lost.first.amount, float(lost.factor), longest, float(spec.jitter.failure)
        return cls(spec.history.keep, int(spec.history.age.seconds), spec.limits, failures.pause_after or 0, wait)


@dataclass(frozen=True, slots=True)
class LostRun:
    """A job whose runs are lost with their pods one after another, or that is paused because this was one too many."""

    name: str
    losses: int
    """Lost runs in a row."""
    failures: int
    """Failures in a row, of which these are the last."""
    due: int
    """The second at which it is due; 0 if it is paused."""


@dataclass(frozen=True, slots=True)
class OrphanPage:
    """The result of a cleanup of one page."""

    further: int
    """Where the next page starts; below 0 at the end."""
    returned: int
    unknown: int
    numeric: int
    consumers: int
    repeated: Sequence[LostRun] = ()


@dataclass(frozen=True, slots=True)
class JobCounts:
    """The number of jobs in each state."""

    asof: int
    waiting: int
    working: int
    paused: int
    ready: int
    oldest: int
    """The second at which the oldest due job was due; 0 if none is due."""
    all_paused: bool
    given_up: int = 0
    """Jobs that are paused because they failed too often."""
    again: frozenset[str] = frozenset()
    """Running jobs that a person asked to run again; at most a hundred."""

    @property
    def overdue(self) -> float:
        """Seconds since that job was due."""
        return max(0.0, self.asof / 1000 - self.oldest) if self.oldest else 0.0


def shards_word(mine: Collection[int] | None) -> str:
    """Shards as scripts read them; None for all."""
    return ALL if mine is None else f",{','.join(map(str, sorted(mine)))},"


def load(name: str) -> Script:
    """A script of the scheduler."""
    return script(name, SCRIPTS)


class JobSteps:
    """Calls scripts over one link. `refused` is called with the name of a script that Redis refused."""

    def __init__(
        self,
        link: Link,
        keys: SchedulerKeys,
        refused: Callable[[str], object] = lambda _: None,
        terms: StepTerms = StepTerms(),
    ) -> None:
        """Nothing is called yet."""
        self._history = (terms.keep, terms.age)
        self._lost = (terms.pause_after, *terms.wait)
        self._limits = limits_word(terms.limits)
        self.link = link
        self.keys = keys
        self._refused = refused
        self._sets = (keys.waiting, keys.working, keys.paused, keys.jobs)

    async def register(self, entries: Sequence[JobEntry]) -> tuple[int, int]:
        """Register at most `MOST_REGISTERED` jobs; return Redis time in ms, and how many jobs are new."""
        args = [word for one in entries for word in (one.name, one.registration, one.priority, one.due, one.latest)]
        asof, added = await self._run("register", self._sets, args)
        return asof, added

    async def unregister(self, names: Sequence[str], *, unseen_since: int = 0) -> int:
        """Unregister jobs that were not registered since this second in Redis time; return how many."""
        keys = (
            self.keys.waiting,
            self.keys.jobs,
            self.keys.story,
            self.keys.paused,
            self.keys.given_up,
            self.keys.history,
        )
        return int(await self._run("unregister", keys, (unseen_since, *names)))

    async def acquire(  # noqa: PLR0913 - the arguments of the script
        self, consumer: str, most: int, *, look: int, further: int = 0, shards: str = ALL, skip: Iterable[str] = ()
    ) -> AcquireResult | None:
        """Acquire due jobs; None if the consumer is lost."""
        keys = self.keys
        reply = await self._run(
            "acquire",
            (*self._sets, keys.owners, keys.pods, keys.story, keys.fence, keys.limits),
            (consumer, most, look, max(further, 0), shards, self._limits, *skip),
        )
        if reply == b"lost":
            return None
        asof, next_further, others, passed, unknown, limited, *columns = reply
        acquired = asof / 1000
        jobs = [
            AcquiredJob(
                name.decode(errors="replace"),
                due,
                deadline * MILLIONTHS + fence % MILLIONTHS,
                fence,
                acquired,
                RunRecord.read(story) if story else None,
            )
            for fence, (name, due, deadline, story) in enumerate(zip(*columns[1:], strict=True), *columns[:1])
        ]
        return AcquireResult(asof, next_further, others, passed, unknown, limited, jobs)

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """Hand back jobs with the records of their runs: a page at a time, each may be repeated."""
        keys = self.keys
        of = (*self._sets, keys.owners, keys.story, keys.history, keys.again)
        return await self._end("complete", of, runs, MOST_COMPLETED)

    async def give_up(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """Hand back jobs with the records of their runs, and pause them: a page at a time, each may be repeated."""
        keys = self.keys
        of = (*self._sets, keys.owners, keys.story, keys.given_up, keys.history, keys.again)
        return await self._end("give_up", of, runs, PAGE)

    async def _end(self, name: str, keys: Sequence[str], runs: Sequence[EndedRun], most: int) -> list[JobAnswer]:
        answers: list[JobAnswer] = []
        for at in range(0, len(runs), most):
            page = runs[at : at + most]
            rows = [word for run in page for word in (run.name, run.score, run.due, run.record or b"", run.past)]
            reply = await self._run(name, keys, (*self._history, *rows))
            answers += _answers(reply) if reply else [JobAnswer.DONE] * len(page)
        return answers

    async def release(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """Hand back jobs that were not run, or not to their end."""
        args = [word for run in runs for word in (run.name, run.score, run.due)]
        return _answers(await self._run("release", (*self._sets, self.keys.owners, self.keys.again), args))

    async def lease(self, consumer: str, ms: int, what: Literal["begin", "renew", "end"]) -> tuple[int, bool]:
        """Change a consumer's lease; return Redis time in ms, and whether the consumer is registered."""
        asof, alive = await self._run("lease", (self.keys.pods,), (consumer, ms, what))
        return asof, alive == 1

    async def lead(self, consumer: str, ms: int) -> bool:
        """Take or renew the leadership; return whether this consumer is the leader. 0 ms gives it up."""
        leads = await self._report_refusal(
            LEAD, self.link.run(script(LEAD), (self.keys.cleanup_leader,), (consumer, ms))
        )
        return bool(leads)

    async def keep(self, runs: Sequence[AcquiredJob], mark: Literal["kept", "alone"] = "kept") -> int:
        """Mark runs that go on after their deadline, or suspects; return how many runs still have their jobs."""
        args = [word for run in runs for word in (run.name, run.score)]
        return int(await self._run("keep", (self.keys.working, self.keys.owners), (mark, *args)))

    async def clean(  # noqa: PLR0913 - the arguments of the script
        self, which: CleanedSet, further: int, *, threshold: int, judges: bool, shards: str,
        removes_numeric: bool, lease: int, waits_for_deadline: bool,
    ) -> OrphanPage:  # fmt: skip
        """Clean up one page; `threshold` and `lease` are in milliseconds."""
        keys = self.keys
        words = ("judge" if judges else "leave", shards, "remove" if removes_numeric else "keep")
        until = "deadline" if waits_for_deadline else "lease"
        reply = await self._run(
            "clean",
            (*self._sets, keys.owners, keys.pods, keys.story, keys.history, keys.again, keys.given_up),
            (which, further, PAGE, threshold, *words, lease, until, *self._history, *self._lost),
        )
        further, returned, unknown, numeric, consumers, rows = reply
        repeated = [LostRun(rows[at].decode(errors="replace"), *rows[at + 1 : at + 4]) for at in range(0, len(rows), 4)]
        return OrphanPage(further, returned, unknown, numeric, consumers, repeated)

    async def prune(self, groups: Sequence[bytes]) -> int:
        """Remove entries of limits that no run holds; return how many."""
        return int(await self._run("prune", (self.keys.working, self.keys.limits), groups))

    async def look(self, shards: str = ALL) -> JobCounts:
        """Count the jobs by state."""
        asof, waiting, working, paused, ready, oldest, all_, given_up, again = await self._run(
            "look", (*self._sets, self.keys.given_up, self.keys.again), (shards,)
        )
        names = frozenset(name.decode(errors="replace") for name in again)
        return JobCounts(asof, waiting, working, paused, ready, oldest, all_ == 1, given_up, names)

    async def held_by(self, consumer: str) -> list[EndedRun]:
        """The jobs that Redis has assigned to this consumer, ready to be released."""
        runs: list[EndedRun] = []
        cursor = b"0"
        while True:
            reply: Any = await self.link.call("HSCAN", self.keys.owners, cursor, "COUNT", MOST)
            cursor, rows = reply[0], reply[1]
            held = {
                name: owner for name, owner in zip(rows[::2], rows[1::2], strict=True) if _consumer(owner) == consumer
            }
            if held:
                scores: Any = await self.link.call("ZMSCORE", self.keys.working, *held)
                runs += [
                    EndedRun(
                        name.decode(errors="replace"), round(float(score) * MILLIONTHS), int(owner.split()[0]), None
                    )
                    for (name, owner), score in zip(held.items(), scores, strict=True)
                    if score is not None
                ]
            if cursor == b"0":
                return runs

    async def change(self, change: Literal["pause", "resume", "run_now"], names: Sequence[str]) -> list[JobAnswer]:
        """Change jobs for a person; at most `MOST_BY_PEOPLE` names."""
        keys = self.keys
        more = {"pause": (), "resume": (keys.given_up, keys.story), "run_now": (keys.again,)}
        return _answers(await self._run(change, (*self._sets, *more[change]), names))

    async def probe(self) -> None:
        """Test whether Redis answers a command on the data; TIME works even while it loads its data."""
        await self.link.call("ZCARD", self.keys.waiting)

    async def time(self) -> int:
        """Redis time in milliseconds."""
        reply: Any = await self.link.call("TIME")
        return int(reply[0]) * 1000 + int(reply[1]) // 1000

    async def _run(self, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:  # noqa: ANN401 - see its header
        return await self._report_refusal(name, self.link.run(load(name), keys, args))

    async def _report_refusal(self, name: str, run: Awaitable[Any]) -> Any:  # noqa: ANN401 - see the header of the script
        try:
            return await run
        except Refused:
            self._refused(name)
            raise


def _consumer(owner: bytes) -> str:
    return owner.split()[1].decode(errors="replace")


def _answers(numbers: list[int]) -> list[JobAnswer]:
    return [JOB_ANSWERS[number] for number in numbers]
