"""Calls the script of each step of a scheduler's jobs as the runtime does, and reads the state in Redis."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from penstock.scheduler.job_steps import (
    AcquiredJob,
    AcquireResult,
    CleanedSet,
    EndedRun,
    JobAnswer,
    JobCounts,
    JobEntry,
    JobSteps,
    OrphanPage,
    StepTerms,
)
from penstock.scheduler.limits import labels_word
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.keys import KeyNames, SchedulerKeys

KEYS = SchedulerKeys.of(KeyNames(prefix="tests:", hash_tag="ps"))
"""With a hash tag, which a cluster needs and other servers ignore."""
LEASE = 3_600_000
TIMEOUT = 60_000
T = TypeVar("T")
Reply = Any
"""A reply of unchecked type: a test that gets another type fails."""


@dataclass(frozen=True, slots=True)
class JobState:
    """The complete state at one moment."""

    waiting: dict[str, float]
    working: dict[str, float]
    paused: dict[str, float]
    jobs: set[str]
    owners: dict[str, str]
    """The consumer that holds each run."""
    stories: dict[str, Reply]

    def places(self, job: str) -> list[str]:
        """The sets that hold a job."""
        sets = {"waiting": self.waiting, "working": self.working, "paused": self.paused}
        return [name for name, set_ in sets.items() if job in set_]


class JobDriver:
    """The scripts of a scheduler, over one link."""

    def __init__(self, link: Link, terms: StepTerms = StepTerms(), runner: asyncio.Runner | None = None) -> None:  # noqa: B008 - it never changes
        self.link = link
        self.steps = JobSteps(link, KEYS, terms=terms)
        self._limits = terms.limits
        self._runner = runner or asyncio.Runner()

    def with_terms(self, terms: StepTerms) -> JobDriver:
        """The same with other terms; this driver closes the link."""
        return JobDriver(self.link, terms, self._runner)

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
        """Redis time in seconds."""
        return self.wait(self.steps.time()) // 1000

    def register(
        self,
        *names: str,
        due: int | None = None,
        latest: int | None = None,
        **fields: Any,  # noqa: ANN401 - as `entry` has it
    ) -> int:
        """Register jobs; return how many are new."""
        due = self.second() if due is None else due
        labels = labels_word(fields.pop("labels", {}), self._limits)
        entries = [entry(name, due, due if latest is None else latest, **fields) for name in names]
        if labels:
            entries = [replace(one, registration=f"{one.registration} {labels}") for one in entries]
        return self.wait(self.steps.register(entries))[1]

    def unregister(self, *names: str, unseen_since: int = 0) -> int:
        return self.wait(self.steps.unregister(names, unseen_since=unseen_since))

    def begin(self, consumer: str, lease: int = LEASE) -> None:
        assert self.wait(self.steps.lease(consumer, lease, "begin"))[1]

    def renew(self, consumer: str, lease: int = LEASE) -> bool:
        return self.wait(self.steps.lease(consumer, lease, "renew"))[1]

    def end(self, consumer: str) -> None:
        self.wait(self.steps.lease(consumer, 0, "end"))

    def lose(self, consumer: str) -> None:
        """Let a lease expire that no pod has judged yet."""
        self.ask("ZADD", KEYS.pods, 1, consumer)

    def acquire_result(  # noqa: PLR0913 - arguments of the script
        self,
        consumer: str,
        most: int = 500,
        *,
        look: int = 500,
        further: int = 0,
        shards: str = "*",
        skip: Iterable[str] = (),
    ) -> AcquireResult:
        result = self.wait(self.steps.acquire(consumer, most, look=look, further=further, shards=shards, skip=skip))
        assert result is not None, "its lease has expired"
        return result

    def acquire(self, consumer: str, most: int = 500, **options: Any) -> list[AcquiredJob]:  # noqa: ANN401 - see above
        return list(self.acquire_result(consumer, most, **options).jobs)

    def complete(
        self, *jobs: AcquiredJob, due: int = 0, story: str | bytes = b'{"it": "ended"}', past: bytes = b""
    ) -> list[JobAnswer]:
        runs = [EndedRun(one.name, one.score, due, as_bytes(story), past=past) for one in jobs]
        return self.wait(self.steps.complete(runs))

    def give_up(
        self, *jobs: AcquiredJob, due: int = 0, story: str | bytes = b'{"it": "ended"}', past: bytes = b""
    ) -> list[JobAnswer]:
        runs = [EndedRun(one.name, one.score, due, as_bytes(story), 1, past) for one in jobs]
        return self.wait(self.steps.give_up(runs))

    def given_up(self) -> set[str]:
        return set(self._set(KEYS.given_up))

    def release(self, *jobs: AcquiredJob, due: int | None = None) -> list[JobAnswer]:
        rows = [EndedRun(one.name, one.score, one.due if due is None else due, None) for one in jobs]
        return self.wait(self.steps.release(rows))

    def clean(  # noqa: PLR0913 - the arguments of the script
        self,
        which: CleanedSet = "working",
        further: int = 0,
        *,
        threshold: int = 600_000,
        judges: bool = True,
        shards: str = "*",
        removes_numeric: bool = True,
        lease: int = LEASE,
        waits_for_deadline: bool = False,
    ) -> OrphanPage:
        """Clean one page, which holds all jobs of most tests."""
        return self.wait(
            self.steps.clean(
                which,
                further,
                threshold=threshold,
                judges=judges,
                shards=shards,
                removes_numeric=removes_numeric,
                lease=lease,
                waits_for_deadline=waits_for_deadline,
            )
        )

    def keep(self, *jobs: AcquiredJob, mark: Literal["kept", "alone"] = "kept") -> int:
        return self.wait(self.steps.keep(jobs, mark))

    def change(self, what: Literal["pause", "resume", "run_now"], *names: str) -> list[JobAnswer]:
        return self.wait(self.steps.change(what, names))

    def counts(self, shards: str = "*") -> JobCounts:
        return self.wait(self.steps.look(shards))

    def set_due(self, job: str, due: int) -> None:
        """Change the due time of a job behind the scripts."""
        self.ask("ZADD", KEYS.waiting, f"{due}.499", job)

    def overrun(self, job: AcquiredJob, seconds: int) -> AcquiredJob:
        """Move a run's deadline into the past; return the run with its new score."""
        score = (self.second() - seconds) * 1_000_000 + job.score % 1_000_000
        self.ask("ZADD", KEYS.working, f"{score // 1_000_000}.{score % 1_000_000:06}", job.name)
        return AcquiredJob(job.name, job.due, score, job.fence, job.acquired, job.last_run)

    def state(self) -> JobState:
        """Read the complete state."""
        owners = {name: held.partition(" ")[2] for name, held in self._hash(KEYS.owners).items()}
        stories = {name: json.loads(text) for name, text in self._hash(KEYS.story).items()}
        waiting, working, paused = (self._set(key) for key in (KEYS.waiting, KEYS.working, KEYS.paused))
        return JobState(waiting, working, paused, set(self._hash(KEYS.jobs)), owners, stories)

    def _set(self, key: str) -> dict[str, float]:
        flat = self.ask("ZRANGE", key, 0, -1, "WITHSCORES")
        return {name.decode(): float(score) for name, score in zip(flat[::2], flat[1::2], strict=True)}

    def _hash(self, key: str) -> dict[str, str]:
        flat = self.ask("HGETALL", key)
        return {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}


def as_bytes(story: str | bytes) -> bytes:
    return story.encode() if isinstance(story, str) else story


def entry(  # noqa: PLR0913 - the fields of a job
    name: str,
    due: int,
    latest: int,
    *,
    priority: int = 500,
    shard: int = 0,
    timeout: int = TIMEOUT,
    schedule: str = "30s",
    overlap: str = "",
) -> JobEntry:
    return JobEntry(name, f"{timeout} {priority} {shard} {schedule}{overlap and f'/{overlap}'}", priority, due, latest)
