"""The steps of jobs, one script each, called with values and answered with values. Each may raise RedisTrouble."""

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
"""Of all scripts."""
MOST = 250
"""Names that one call is given: a script then takes Redis two or three milliseconds at the most, of a bound of five."""
PAGE = 150
"""The same, of a page that is cleaned or taken out: all that is known of each goes with it, or is read and written."""
MOST_ASKED = 100
"""The same, of what people ask for: such a script goes from name to name."""
MILLIONTHS = 1_000_000
ALL = "*"
LEAD = "lead"


class JobAnswer(IntEnum):
    """What became of a job that was handed back, or that a person asked for."""

    UNKNOWN = 0
    DONE = 1
    ANOTHERS = 2
    """Or, of what a person asked for: it runs."""
    NOT_HELD = 3
    """Or, of what a person asked for: it was so before."""


JOB_ANSWERS = tuple(JobAnswer)
"""By their numbers, which are those of the scripts."""


class AcquiredJob(NamedTuple):
    """A job that became ours."""

    name: str
    due: int
    """The second in which it was due."""
    score: int
    """Its working score in millionths of a second: by this it is handed back."""
    fence: int
    """Of two runs of a job the later one has the greater."""
    acquired: float
    """Redis's time, in seconds."""
    story: RunRecord | None
    """Of the run before."""

    @property
    def deadline(self) -> int:
        """Redis's second from which others may take it for hung."""
        return self.score // MILLIONTHS

    @property
    def begun(self) -> bool:
        """Whether it ran before for this second, and came to no end."""
        return self.story is not None and self.story.was_begun(self.due)


@dataclass(frozen=True, slots=True)
class AcquireResult:
    """What one call of acquire came to."""

    asof: int
    """Redis's time in ms."""
    further: int
    """How many of the first to pass over when more is asked for at once; 0 when all was seen."""
    others: int
    passed: int
    unknown: int
    jobs: Sequence[AcquiredJob]


@dataclass(frozen=True, slots=True)
class JobEntry:
    """A job as it is registered."""

    name: str
    says: str
    """What scripts must know of it."""
    priority: int
    due: int
    latest: int


class EndedRun(NamedTuple):
    """A run that ended, on its way to Redis; without a story it was not run."""

    name: str
    score: int
    due: int
    story: bytes | None


@dataclass(frozen=True, slots=True)
class OrphanPage:
    """What one page came to."""

    further: int
    """Where the next page begins; below 0 at the end."""
    returned: int
    unknown: int
    numeric: int
    consumers: int


@dataclass(frozen=True, slots=True)
class JobCounts:
    """How it stands with the jobs."""

    asof: int
    waiting: int
    working: int
    paused: int
    ready: int
    oldest: int
    """The second in which the oldest was due that is due; 0 where none is."""
    all_paused: bool

    @property
    def overdue(self) -> float:
        """Seconds that it has waited."""
        return max(0.0, self.asof / 1000 - self.oldest) if self.oldest else 0.0


def shards_word(mine: Collection[int] | None) -> str:
    """Shards as scripts have them; None is all."""
    return ALL if mine is None else f",{','.join(map(str, sorted(mine)))},"


def load(name: str) -> Script:
    """One of a scheduler's scripts."""
    return script(name, SCRIPTS)


class JobSteps:
    """Over one link. `refused` is told which script Redis answered with an error."""

    def __init__(self, link: Link, keys: SchedulerKeys, refused: Callable[[str], object] = lambda _: None) -> None:
        """Nothing is asked yet."""
        self.link = link
        self.keys = keys
        self._refused = refused
        self._sets = (keys.waiting, keys.working, keys.paused, keys.jobs)

    async def register(self, entries: Sequence[JobEntry]) -> tuple[int, int]:
        """Redis's time in ms, and how many are new. `MOST` at a time at the most, as all that takes names."""
        args = [word for one in entries for word in (one.name, one.says, one.priority, one.due, one.latest)]
        asof, added = await self._run("register", self._sets, args)
        return asof, added

    async def unregister(self, names: Sequence[str], *, unseen_since: int = 0) -> int:
        """How many were known, and registered by nobody since that second of Redis's."""
        keys = (self.keys.waiting, self.keys.jobs, self.keys.story)
        return int(await self._run("unregister", keys, (unseen_since, *names)))

    async def acquire(  # noqa: PLR0913 - what the script is given
        self, consumer: str, most: int, *, look: int, further: int = 0, shards: str = ALL, skip: Iterable[str] = ()
    ) -> AcquireResult | None:
        """What is due, as ours; None when the consumer is over."""
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
        """What became of each."""
        keys = self.keys
        args = [word for one in runs for word in (one.name, one.score, one.due, one.story or b"")]
        told = await self._run("complete", (*self._sets, keys.owners, keys.story), args)
        return _answers(told) if told else [JobAnswer.DONE] * len(runs)

    async def release(self, runs: Sequence[EndedRun]) -> list[JobAnswer]:
        """The same, of what was not run to its end."""
        args = [word for one in runs for word in (one.name, one.score, one.due)]
        return _answers(await self._run("release", (*self._sets, self.keys.owners), args))

    async def lease(self, consumer: str, ms: int, what: Literal["begin", "renew", "end"]) -> tuple[int, bool]:
        """Redis's time in ms, and whether the consumer goes on."""
        asof, alive = await self._run("lease", (self.keys.pods,), (consumer, ms, what))
        return asof, alive == 1

    async def lead(self, consumer: str, ms: int) -> bool:
        """Whether this consumer leads; 0 ms gives it up."""
        told = await self._told(LEAD, self.link.run(script(LEAD), (self.keys.cleanup_leader,), (consumer, ms)))
        return bool(told)

    async def clean(  # noqa: PLR0913 - what the script is given
        self, which: Literal["working", "waiting"], further: int, *, threshold: int, judges: bool, shards: str,
        removes_numeric: bool,
    ) -> OrphanPage:  # fmt: skip
        """One page; `threshold` is in ms."""
        keys = self.keys
        words = ("judge" if judges else "leave", shards, "remove" if removes_numeric else "keep")
        told = await self._run(
            "clean", (*self._sets, keys.owners, keys.pods, keys.story), (which, further, PAGE, threshold, *words)
        )
        return OrphanPage(*told)

    async def look(self, shards: str = ALL) -> JobCounts:
        """How it stands."""
        asof, waiting, working, paused, ready, oldest, all_ = await self._run("look", self._sets, (shards,))
        return JobCounts(asof, waiting, working, paused, ready, oldest, all_ == 1)

    async def held_by(self, consumer: str) -> list[EndedRun]:
        """What Redis has as this consumer's; each as it would be released."""
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
        """What people ask for; `MOST_ASKED` at a time at the most."""
        return _answers(await self._run(what, self._sets, names))

    async def time(self) -> int:
        """Redis's, in ms."""
        told: Any = await self.link.call("TIME")
        return int(told[0]) * 1000 + int(told[1]) // 1000

    async def _run(self, name: str, keys: Sequence[str], args: Sequence[Argument]) -> Any:  # noqa: ANN401 - as its header says
        return await self._told(name, self.link.run(load(name), keys, args))

    async def _told(self, name: str, run: Awaitable[Any]) -> Any:  # noqa: ANN401 - as its header says
        try:
            return await run
        except Refused:
            self._refused(name)
            raise


def _consumer(said: bytes) -> str:
    return said.partition(b" ")[2].decode(errors="replace")


def _answers(told: list[int]) -> list[JobAnswer]:
    return [JOB_ANSWERS[one] for one in told]
