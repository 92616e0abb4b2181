"""The jobs of a scheduler, for people on call: their status, why one does not run, pausing and resuming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from penstock.scheduler.due_times import cron_after
from penstock.scheduler.job_steps import ALL, MOST, MOST_ASKED, JobAnswer, JobSteps
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.run_record import RunRecord
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs, matches, runs
from penstock_spec.values.display import span

State = Literal["running", "due", "waiting", "paused", "unregistered"]


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job at one moment. Times are seconds of Redis time."""

    name: str
    state: State
    now: float
    due: int | None
    """When it is due; None while it runs."""
    deadline: int | None
    """None unless it runs."""
    life: str
    """The consumer that runs it."""
    lives: bool
    """Whether that consumer's lease holds."""
    story: RunRecord | None
    shard: int | None

    def as_json(self) -> dict[str, object]:
        """Name and value of each column of `--json`."""
        story = self.story
        return {
            "job": self.name,
            "state": self.state,
            "due": self.due,
            "deadline": self.deadline,
            "life": self.life or None,
            "last": None
            if story is None
            else {
                "outcome": story.outcome,
                "class": story.class_ or None,
                "streak": story.streak,
                "acquired": story.acquired,
                "ended": story.ended,
                "life": story.consumer,
            },
        }


class JobControl:
    """Reads and changes the state of jobs over one link."""

    def __init__(self, scheduler: ResolvedScheduler, link: Link) -> None:
        """Send nothing yet."""
        self._keys = scheduler.keys
        self._link = link
        self._steps = JobSteps(link, self._keys)

    async def names(self) -> list[str]:
        """Names of all registered jobs, sorted."""
        found: set[str] = set()
        cursor = b"0"
        while True:
            told: Any = await self._link.call("HSCAN", self._keys.jobs, cursor, "COUNT", MOST)
            cursor = told[0]
            found.update(name.decode(errors="replace") for name in told[1][::2])
            if cursor == b"0":
                return sorted(found)

    async def all_paused(self) -> bool:
        """Whether `pause --all` is in force."""
        return await self._link.call("ZSCORE", self._keys.paused, ALL) is not None

    async def status(self, names: Sequence[str]) -> list[JobStatus]:
        """The status of each job."""
        return [one for at in range(0, len(names), MOST) for one in await self._page(names[at : at + MOST])]

    async def change(self, what: Literal["pause", "resume", "run_now"], names: Sequence[str]) -> list[JobAnswer]:
        """Change each job."""
        found: list[JobAnswer] = []
        for at in range(0, len(names), MOST_ASKED):
            found += await self._steps.ask_for(what, names[at : at + MOST_ASKED])
        return found

    async def _page(self, names: Sequence[str]) -> list[JobStatus]:
        keys = self._keys
        if not names:
            return []
        waits, works, stops, known, holders, stories, pods, time = await self._all(
            ("ZMSCORE", keys.waiting, *names),
            ("ZMSCORE", keys.working, *names),
            ("ZMSCORE", keys.paused, *names),
            ("HMGET", keys.jobs, *names),
            ("HMGET", keys.owners, *names),
            ("HMGET", keys.story, *names),
            ("ZRANGE", keys.pods, 0, -1, "WITHSCORES"),
            ("TIME",),
        )
        now = int(time[0]) + int(time[1]) / 1e6
        ends = dict(zip(pods[::2], map(float, pods[1::2]), strict=True))
        found = []
        for name, waits_, works_, stops_, says, holder, story in zip(
            names, waits, works, stops, known, holders, stories, strict=True
        ):
            life = holder.partition(b" ")[2] if holder and works_ else b""
            due = waits_ or (None if works_ else stops_)
            state: State = (
                "running" if works_ else "paused" if stops_ else "unregistered" if not says or not waits_
                else "due" if int(float(waits_)) <= now else "waiting"
            )  # fmt: skip
            found.append(
                JobStatus(
                    name,
                    state,
                    now,
                    int(float(due)) if due else None,
                    int(float(works_)) if works_ else None,
                    life.decode(errors="replace"),
                    ends.get(life, 0.0) > now * 1000,
                    RunRecord.read(story),
                    int(says.split()[2]) if says else None,
                )
            )
        return found

    async def _all(self, *commands: tuple[Argument, ...]) -> list[Any]:
        told = await self._link.calls(commands)
        for one in told:
            if isinstance(one, Refused):
                raise one
        return told


def explain(scheduler: ResolvedScheduler, job: JobStatus, *, all_paused: bool) -> list[str]:
    """Say when a job runs next, and why not earlier. The first line says most."""
    spec = scheduler.spec
    settings = next((each for each in effective_jobs(spec) if each.name == job.name), None)
    lines = [_state(job, all_paused=all_paused)]
    if not runs(spec, job.name):
        disabled = spec.patterns.disabled if matches(spec.patterns.disabled, job.name) else ""
        lines.insert(
            0,
            f"disabled: `patterns.disabled` (`{disabled}`) matches its name"
            if disabled
            else f"not enabled: `patterns.enabled` (`{spec.patterns.enabled}`) does not match its name",
        )
    elif job.state == "unregistered" and settings is None and isinstance(spec.jobs, list):
        lines.append("the spec does not list it")
    elif job.state == "unregistered":
        lines.append("a pod with its shard registers it at its next refresh; check that one runs")
    if spec.shards.mine is not None and job.shard is not None:
        lines.append(f"only a pod with shard {job.shard} of {spec.shards.count} runs it")
    lines.append(_last_run(job))
    if settings is not None:
        lines.append(_schedule(settings, job.now))
    return lines


def _state(job: JobStatus, *, all_paused: bool) -> str:
    match job.state:
        case "running":
            return _running(job)
        case "paused":
            return "paused; `penstock scheduler resume` with its name ends that"
        case "unregistered":
            return "not registered by any pod"
        case "due" | "waiting" if all_paused:
            return "all jobs are paused; `penstock scheduler resume --all` ends that"
        case "due":
            return f"due for {_span(job.now - (job.due or 0))}: no pod runs, or none has a free permit"
        case "waiting":
            return _waiting(job, job.due or 0)


def _running(job: JobStatus) -> str:
    lost = "" if job.lives else ", whose lease expired; the leader makes the job due again"
    left = (job.deadline or 0) - job.now
    deadline = f"deadline in {_span(left)}" if left >= 0 else f"deadline passed {_span(-left)} ago"
    return f"running on `{job.life or 'nobody'}`{lost}; {deadline}"


def _waiting(job: JobStatus, due: int) -> str:
    story = job.story
    if story is not None and story.streak and story.next == due and not story.was_begun(due):
        of = f" of class `{story.class_}`" if story.class_ not in ("", "-") else ""
        times = "1 failure" if story.streak == 1 else f"{story.streak} failures in a row"
        return f"backing off after {times}{of}; due in {_span(due - job.now)}"
    return f"waiting; due in {_span(due - job.now)}"


def _last_run(job: JobStatus) -> str:
    story = job.story
    if story is None:
        return "not run yet"
    took, ago = _span(story.ended - story.acquired), _span(job.now - story.ended)
    return f"last run: {story.outcome}, {ago} ago on `{story.consumer}`, took {took}"


def _schedule(job: EffectiveJob, now: float) -> str:
    if job.cron is None:
        return f"runs every {job.every}"
    following = cron_after(job.cron, job.time_zone, now) - now
    return f"runs by `{job.cron}` ({job.time_zone}), next in {_span(following)}"


def _span(seconds: float) -> str:
    return span(1000 * seconds)
