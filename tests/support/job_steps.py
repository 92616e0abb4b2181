"""The steps of a scheduler's jobs, one script each, called as the runtime calls them; and what they leave in Redis."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from penstock.scheduler.job_steps import (
    AcquiredJob,
    AcquireResult,
    EndedRun,
    JobAnswer,
    JobCounts,
    JobEntry,
    JobSteps,
    OrphanPage,
)
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys

KEYS = SchedulerKeys.of(KeyNames(prefix="tests:", hash_tag="ps"))
"""With a hash tag: a cluster needs it, and no other Redis minds."""
LEASE = 3_600_000
TIMEOUT = 60_000
T = TypeVar("T")
Reply = Any
"""An answer, taken at its word: a test that is told something else fails."""


@dataclass(frozen=True, slots=True)
class JobState:
    """All of it, at one moment."""

    waiting: dict[str, float]
    working: dict[str, float]
    paused: dict[str, float]
    jobs: set[str]
    owners: dict[str, str]
    """Which life holds each run."""
    stories: dict[str, Reply]

    def places(self, job: str) -> list[str]:
        """In which sets it is."""
        sets = {"waiting": self.waiting, "working": self.working, "paused": self.paused}
        return [name for name, set_ in sets.items() if job in set_]


class JobDriver:
    """A scheduler's scripts, over one link."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self.steps = JobSteps(link, KEYS)
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wait(self.link.close())
        self._runner.close()

    def wait(self, coroutine: Coroutine[object, object, T]) -> T:
        return self._runner.get_loop().run_until_complete(coroutine)

    def ask(self, *command: str | bytes | float) -> Reply:
        return self.wait(self.link.call(*command))

    def second(self) -> int:
        """Redis's."""
        return self.wait(self.steps.time()) // 1000

    def register(
        self,
        *names: str,
        due: int | None = None,
        latest: int | None = None,
        **says: Any,  # noqa: ANN401 - as `entry` has it
    ) -> int:
        """How many are new."""
        due = self.second() if due is None else due
        entries = [entry(name, due, due if latest is None else latest, **says) for name in names]
        return self.wait(self.steps.register(entries))[1]

    def unregister(self, *names: str, unseen_since: int = 0) -> int:
        return self.wait(self.steps.unregister(names, unseen_since=unseen_since))

    def begin(self, life: str, lease: int = LEASE) -> None:
        assert self.wait(self.steps.lease(life, lease, "begin"))[1]

    def renew(self, life: str, lease: int = LEASE) -> bool:
        return self.wait(self.steps.lease(life, lease, "renew"))[1]

    def end(self, life: str) -> None:
        self.wait(self.steps.lease(life, 0, "end"))

    def lose(self, life: str) -> None:
        """Its lease has run out, and nobody has judged it yet."""
        self.ask("ZADD", KEYS.pods, 1, life)

    def acquire_result(  # noqa: PLR0913 - what the script is given
        self,
        life: str,
        most: int = 500,
        *,
        look: int = 500,
        further: int = 0,
        shards: str = "*",
        skip: Iterable[str] = (),
    ) -> AcquireResult:
        took = self.wait(self.steps.acquire(life, most, look=look, further=further, shards=shards, skip=skip))
        assert took is not None, "its life is over"
        return took

    def acquire(self, life: str, most: int = 500, **said: Any) -> list[AcquiredJob]:  # noqa: ANN401 - as `took` has it
        return list(self.acquire_result(life, most, **said).jobs)

    def complete(self, *taken: AcquiredJob, due: int = 0, story: str | bytes = b'{"it": "ended"}') -> list[JobAnswer]:
        return self.wait(self.steps.complete([EndedRun(one.name, one.score, due, as_bytes(story)) for one in taken]))

    def release(self, *taken: AcquiredJob, due: int | None = None) -> list[JobAnswer]:
        rows = [EndedRun(one.name, one.score, one.due if due is None else due, None) for one in taken]
        return self.wait(self.steps.release(rows))

    def clean(
        self,
        which: Literal["working", "waiting"] = "working",
        *,
        threshold: int = 600_000,
        judges: bool = True,
        shards: str = "*",
        removes_numeric: bool = True,
    ) -> OrphanPage:
        """One page, which is all that a test has."""
        return self.wait(
            self.steps.clean(
                which, 0, threshold=threshold, judges=judges, shards=shards, removes_numeric=removes_numeric
            )
        )

    def ask_for(self, what: Literal["pause", "resume", "run_now"], *names: str) -> list[JobAnswer]:
        return self.wait(self.steps.ask_for(what, names))

    def counts(self, shards: str = "*") -> JobCounts:
        return self.wait(self.steps.look(shards))

    def set_due(self, job: str, due: int) -> None:
        """Somebody has changed when it is due."""
        self.ask("ZADD", KEYS.waiting, f"{due}.499", job)

    def overrun(self, taken: AcquiredJob, seconds: int) -> AcquiredJob:
        """Its deadline was so long ago: the same run, with the score that it has now."""
        score = (self.second() - seconds) * 1_000_000 + taken.score % 1_000_000
        self.ask("ZADD", KEYS.working, f"{score // 1_000_000}.{score % 1_000_000:06}", taken.name)
        return AcquiredJob(taken.name, taken.due, score, taken.fence, taken.acquired, taken.story)

    def state(self) -> JobState:
        """Everything."""
        owners = {name: held.partition(" ")[2] for name, held in self._hash(KEYS.owners).items()}
        stories = {name: json.loads(told) for name, told in self._hash(KEYS.story).items()}
        waiting, working, paused = (self._set(key) for key in (KEYS.waiting, KEYS.working, KEYS.paused))
        return JobState(waiting, working, paused, set(self._hash(KEYS.jobs)), owners, stories)

    def _set(self, key: str) -> dict[str, float]:
        told = self.ask("ZRANGE", key, 0, -1, "WITHSCORES")
        return {name.decode(): float(score) for name, score in zip(told[::2], told[1::2], strict=True)}

    def _hash(self, key: str) -> dict[str, str]:
        told = self.ask("HGETALL", key)
        return {name.decode(): value.decode() for name, value in zip(told[::2], told[1::2], strict=True)}


def as_bytes(story: str | bytes) -> bytes:
    return story.encode() if isinstance(story, str) else story


def entry(  # noqa: PLR0913 - all that is said of a job
    name: str,
    due: int,
    latest: int,
    *,
    priority: int = 500,
    shard: int = 0,
    timeout: int = TIMEOUT,
    schedule: str = "30s",
) -> JobEntry:
    return JobEntry(name, f"{timeout} {priority} {shard} {schedule}", priority, due, latest)
