"""The steps of jobs: one script each, with typed arguments and replies. Each may raise RedisTrouble."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from penstock.scheduler.run_record import RunRecord
from penstock.scripts import Script, script
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.keys import SchedulerKeys

SCRIPTS = Path(__file__).parent / "scripts"
NAMES = tuple(sorted(path.stem for path in SCRIPTS.glob("*.lua")))
"""The names of all scripts."""
MOST = 250
"""Most names in one call. A script then takes Redis at most 3 ms; the bound is 5 ms."""
PAGE = 150
"""Most names on a page of a cleanup or in an unregistration, which read and write all that is known of each job."""
MOST_ASKED = 100
"""Most names in a call by a person, whose scripts go through the names one by one."""
MILLIONTHS = 1_000_000
ALL = "*"
LEAD = "lead"


class JobAnswer(IntEnum):
    """What happened to a job that was handed back, or that a person named."""

    UNKNOWN = 0
    DONE = 1
    ANOTHERS = 2
    """Another run holds the job. After a person's call: it runs."""
    NOT_HELD = 3
    """No run holds the job. After a person's call: it was in this state before."""


JOB_ANSWERS = tuple(JobAnswer)
"""By the numbers in the scripts' replies."""


class AcquiredJob(NamedTuple):
    """A job that this pod holds."""

    name: str
    due: int
    """The second at which it was due."""
    score: int
    """Its score in the working set, in microseconds. It must match when the job is handed back."""
    fence: int
    """Grows with each run of a job."""
    acquired: float
    """When it was acquired, in Redis time, in seconds."""
    story: RunRecord | None
    """The record of the run before."""

    @property
    def deadline(self) -> int:
        """The second in Redis time after which others may treat the run as hung."""
        return self.score // MILLIONTHS

    @property
    def begun(self) -> bool:
        """Whether it already ran for this second, without coming to an end."""
        return self.story is not None and self.story.was_begun(self.due)


@dataclass(frozen=True, slots=True)
class AcquireResult:
    """The reply to one acquire."""

    asof: int
    """Redis time in milliseconds."""
    further: int
    """How many due jobs the next call skips; 0 if all were seen."""
    others: int
    passed: int
    unknown: int
    jobs: Sequence[AcquiredJob]


@dataclass(frozen=True, slots=True)
class JobEntry:
    """A job as it is registered."""

    name: str
    says: str
    """What scripts need to know of it."""
    priority: int
    due: int
    latest: int


class EndedRun(NamedTuple):
    """An ended run on its way to Redis; without a record it did not run."""

    name: str
    score: int
    due: int
    story: bytes | None


@dataclass(frozen=True, slots=True)
class OrphanPage:
    """What a cleanup did on one page."""

    further: int
    """Where the next page starts; below 0 at the end."""
    returned: int
    unknown: int
    numeric: int
    consumers: int


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How many jobs are in which state."""

    asof: int
    waiting: int
    working: int
    paused: int
    ready: int
    oldest: int
    """The second at which the oldest due job was due; 0 if none is due."""
    all_paused: bool

    @property
    def overdue(self) -> float:
        """Seconds for which that job has waited."""
        return max(0.0, self.asof / 1000 - self.oldest) if self.oldest else 0.0


def shards_word(mine: Collection[int] | None) -> str:
    """Shards as scripts read them; None for all."""
    return ALL if mine is None else f",{','.join(map(str, sorted(mine)))},"


def load(name: str) -> Script:
    """A script of the scheduler."""
    return script(name, SCRIPTS)


class JobSteps:
    """Calls scripts over one link. `refused` is called with the name of a script that ended in an error."""

    def __init__(self, link: Link, keys: SchedulerKeys, refused: Callable[[str], object] = lambda _: None) -> None:
        """Nothing is called yet."""
        self.link = link
        self.keys = keys
        self._refused = refused
        self._sets = (keys.waiting, keys.working, keys.paused, keys.jobs)

    async def register(self, entries: Sequence[JobEntry]) -> tuple[int, int]:
        """Returns Redis time in ms, and how many jobs are new. Takes at most `MOST` jobs, as all calls with names."""
        args = [word for one in entries for word in (one.name, one.says, one.priority, one.due, one.latest)]
        asof, added = await self._run("register", self._sets, args)
        return asof, added

    async def unregister(self, names: Sequence[str], *, unseen_since: int = 0) -> int:
        """How many were known and not registered since this second in Redis time."""
        keys = (self.keys.waiting, self.keys.jobs, self.keys.story)
        return int(await self._run("unregister", keys, (unseen_since, *names)))

    async def acquire(  # noqa: PLR0913 - the arguments of the script
        self, consumer: str, most: int, *, look: int, further: int = 0, shards: str = ALL, skip: Iterable[str] = ()
    ) -> AcquireResult | None:
        """Acquire due jobs; None if the consumer is lost."""
        keys = self.keys
        told = await self._run(
            "acquire",
            (*self._sets, keys.owners, keys.pods, keys.story, keys.fence),
            (consumer, most, look, further, shards, *skip),
        )
        if told == b"lost":
            return None
        asof, goes_on, others, passed, unknown, *columns = told
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
        return AcquireResult(asof, goes_on, others, passed, unknown, jobs)

    async def complete(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """Hand back jobs with the records of their runs."""
        keys = self.keys
        args = [word for one in runs for word in (one.name, one.score, one.due, one.story or b"")]
        told = await self._run("complete", (*self._sets, keys.owners, keys.story), args)
        return _answers(told) if told else [JobAnswer.DONE] * len(runs)

    async def release(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """Hand back jobs that were not run, or not to their end."""
        args = [word for one in runs for word in (one.name, one.score, one.due)]
        return _answers(await self._run("release", (*self._sets, self.keys.owners), args))

    async def lease(self, consumer: str, ms: int, what: Literal["begin", "renew", "end"]) -> tuple[int, bool]:
        """Returns Redis time in ms, and whether the consumer is registered."""
        asof, alive = await self._run("lease", (self.keys.pods,), (consumer, ms, what))
        return asof, alive == 1

    async def lead(self, consumer: str, ms: int) -> bool:
        """Whether this consumer is the leader; 0 ms gives up the leadership."""
        told = await self._told(LEAD, self.link.run(script(LEAD), (self.keys.cleanup_leader,), (consumer, ms)))
        return bool(told)

    async def clean(  # noqa: PLR0913 - the arguments of the script
        self, which: Literal["working", "waiting"], further: int, *, threshold: int, judges: bool, shards: str,
        removes_numeric: bool,
    ) -> OrphanPage:  # fmt: skip
        """Clean up one page; `threshold` is in milliseconds."""
        keys = self.keys
        words = ("judge" if judges else "leave", shards, "remove" if removes_numeric else "keep")
        told = await self._run(
            "clean", (*self._sets, keys.owners, keys.pods, keys.story), (which, further, PAGE, threshold, *words)
        )
        return OrphanPage(*told)

    async def look(self, shards: str = ALL) -> JobCounts:
        """Count the jobs by state."""
        asof, waiting, working, paused, ready, oldest, all_ = await self._run("look", self._sets, (shards,))
        return JobCounts(asof, waiting, working, paused, ready, oldest, all_ == 1)

    async def held_by(self, consumer: str) -> list[EndedRun]:
        """The jobs that Redis holds for this consumer, ready to be released."""
        found: list[EndedRun] = []
        cursor = b"0"
        while True:
            told: Any = await self.link.call("HSCAN", self.keys.owners, cursor, "COUNT", MOST)
            cursor, rows = told[0], told[1]
            held = {name: said for name, said in zip(rows[::2], rows[1::2], strict=True) if _consumer(said) == consumer}
            if held:
                scores: Any = await self.link.call("ZMSCORE", self.keys.working, *held)
                found += [
                    EndedRun(
                        name.decode(errors="replace"), round(float(score) * MILLIONTHS), int(said.split()[0]), None
                    )
                    for (name, said), score in zip(held.items(), scores, strict=True)
                    if score is not None
                ]
            if cursor == b"0":
                return found

    async def ask_for(self, what: Literal["pause", "resume", "run_now"], names: Sequence[str]) -> list[JobAnswer]:
        """What people ask for; at most `MOST_ASKED` names."""
        return _answers(await self._run(what, self._sets, names))

    async def time(self) -> int:
        """Redis time in milliseconds."""
        told: Any = await self.link.call("TIME")
        return int(told[0]) * 1000 + int(told[1]) // 1000

    async def _run(self, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:  # noqa: ANN401 - see its header
        return await self._told(name, self.link.run(load(name), keys, args))

    async def _told(self, name: str, run: Awaitable[Any]) -> Any:  # noqa: ANN401 - see the header of the script
        try:
            return await run
        except Refused:
            self._refused(name)
            raise


def _consumer(said: bytes) -> str:
    return said.partition(b" ")[2].decode(errors="replace")


def _answers(told: list[int]) -> list[JobAnswer]:
    return [JOB_ANSWERS[one] for one in told]
