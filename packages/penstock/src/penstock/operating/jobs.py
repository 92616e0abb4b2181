"""The jobs of a scheduler, for people on call: their status, why one does not run, pausing and resuming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from penstock.scheduler.due_times import cron_after
from penstock.scheduler.history import PastRun
from penstock.scheduler.job_steps import ALL, MOST, MOST_BY_PEOPLE, JobAnswer, JobSteps
from penstock.scheduler.limits import groups
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.run_record import RunRecord
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs, matches, runs
from penstock_spec.values.display import span

MOST_NAMED = 5
"""Most jobs that a line names."""

State = Literal["running", "due", "waiting", "paused", "unregistered"]


@dataclass(frozen=True, slots=True)
class FullLimit:
    """A limit of a label that has no place free."""

    label: str
    value: str
    limit: int
    running: Sequence[str]
    """The jobs that hold its places."""


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
    consumer: str
    """The consumer that runs it."""
    has_lease: bool
    """Whether that consumer's lease holds."""
    last_run: RunRecord | None
    shard: int | None
    kept: bool = False
    """Whether its run goes on after its deadline, by what its pod reports."""
    given_up: int | None = None
    """When it was paused because it failed too often."""
    full: Sequence[FullLimit] = ()
    """Limits without room for this job."""

    def as_json(self) -> dict[str, object]:
        """Name and value of each column of `--json`."""
        last = self.last_run
        return {
            "job": self.name,
            "state": self.state,
            "due": self.due,
            "deadline": self.deadline,
            "consumer": self.consumer or None,
            "given_up": self.given_up,
            "last": None
            if last is None
            else {
                "outcome": last.outcome,
                "class": last.class_ or None,
                "streak": last.streak,
                "lost": last.lost,
                "acquired": last.acquired,
                "ended": last.ended,
                "consumer": last.consumer,
            },
        }


class JobControl:
    """Reads and changes the state of jobs over one link."""

    def __init__(self, scheduler: ResolvedScheduler, link: Link) -> None:
        """Send nothing yet."""
        self._keys = scheduler.keys
        self._spec = scheduler.spec
        self._link = link
        self._steps = JobSteps(link, self._keys)

    async def names(self) -> list[str]:
        """Names of all registered jobs, sorted."""
        registered: set[str] = set()
        cursor = b"0"
        while True:
            reply: Any = await self._link.call("HSCAN", self._keys.jobs, cursor, "COUNT", MOST)
            cursor = reply[0]
            registered.update(name.decode(errors="replace") for name in reply[1][::2])
            if cursor == b"0":
                return sorted(registered)

    async def all_paused(self) -> bool:
        """Whether `pause --all` is in force."""
        return await self._link.call("ZSCORE", self._keys.paused, ALL) is not None

    async def status(self, names: Sequence[str]) -> list[JobStatus]:
        """The status of each job."""
        return [one for at in range(0, len(names), MOST) for one in await self._page(names[at : at + MOST])]

    async def limited(self, job: JobStatus) -> JobStatus:
        """The status with the limits that have no room for the job."""
        if job.state != "due" or not self._spec.limits:
            return job
        registration: Any = await self._link.call("HGET", self._keys.jobs, job.name)
        full = []
        for group, label, value in groups((registration or b"").decode(errors="replace")):
            limit = self._spec.limits.get(label)
            if limit is not None and len(running := await self._running(group)) >= limit:
                full.append(FullLimit(label, value, limit, running))
        return replace(job, full=full)

    async def _running(self, group: str) -> list[str]:
        """The jobs that hold a place of a label and value: their runs are still in the working set."""
        entry: Any = await self._link.call("HGET", self._keys.limits, group)
        words = (entry or b"").decode(errors="replace").split()
        runs = list(zip(words[::2], words[1::2], strict=False))
        if not runs:
            return []
        scores: Any = await self._link.call("ZMSCORE", self._keys.working, *(name for _, name in runs))
        return sorted(
            name
            for (score, name), now in zip(runs, scores, strict=True)
            if now is not None and float(now) == float(score)
        )

    async def history(self, name: str) -> list[PastRun]:
        """The last runs of a job, newest first."""
        kept, time = await self._all(("HGET", self._keys.history, name), ("TIME",))
        terms = self._spec.history
        oldest = int(time[0]) - terms.age.seconds
        return [run for run in PastRun.read(kept) if run.ended >= oldest][: terms.keep]

    async def change(self, change: Literal["pause", "resume", "run_now"], names: Sequence[str]) -> list[JobAnswer]:
        """Change each job."""
        answers: list[JobAnswer] = []
        for at in range(0, len(names), MOST_BY_PEOPLE):
            answers += await self._steps.change(change, names[at : at + MOST_BY_PEOPLE])
        return answers

    async def _page(self, names: Sequence[str]) -> list[JobStatus]:
        keys = self._keys
        if not names:
            return []
        waiting, working, paused, gave_up, registered, holders, records, pods, time = await self._all(
            ("ZMSCORE", keys.waiting, *names),
            ("ZMSCORE", keys.working, *names),
            ("ZMSCORE", keys.paused, *names),
            ("ZMSCORE", keys.given_up, *names),
            ("HMGET", keys.jobs, *names),
            ("HMGET", keys.owners, *names),
            ("HMGET", keys.story, *names),
            ("ZRANGE", keys.pods, 0, -1, "WITHSCORES"),
            ("TIME",),
        )
        now = int(time[0]) + int(time[1]) / 1e6
        lease_ends = dict(zip(pods[::2], map(float, pods[1::2]), strict=True))
        jobs = []
        for name, waiting_at, working_until, paused_at, gave_up_at, registration, holder, record in zip(
            names, waiting, working, paused, gave_up, registered, holders, records, strict=True
        ):
            _, consumer, *kept = holder.split() if holder and working_until else (b"", b"")
            due = waiting_at or (None if working_until else paused_at)
            state: State = (
                "running" if working_until else "paused" if paused_at
                else "unregistered" if not registration or not waiting_at
                else "due" if int(float(waiting_at)) <= now else "waiting"
            )  # fmt: skip
            jobs.append(
                JobStatus(
                    name,
                    state,
                    now,
                    int(float(due)) if due else None,
                    int(float(working_until)) if working_until else None,
                    consumer.decode(errors="replace"),
                    lease_ends.get(consumer, 0.0) > now * 1000,
                    RunRecord.read(record),
                    int(registration.split()[2]) if registration else None,
                    bool(kept),
                    int(float(gave_up_at)) if gave_up_at and paused_at else None,
                )
            )
        return jobs

    async def _all(self, *commands: tuple[Argument, ...]) -> list[Any]:
        replies = await self._link.calls(commands)
        for reply in replies:
            if isinstance(reply, Refused):
                raise reply
        return replies


def explain(scheduler: ResolvedScheduler, job: JobStatus, *, all_paused: bool) -> list[str]:
    """Explain when a job runs next, and why not earlier. The first line matters most."""
    spec = scheduler.spec
    settings = next((one for one in effective_jobs(spec) if one.name == job.name), None)
    lines = [_state(job, scheduler.name, all_paused=all_paused)]
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


def _state(job: JobStatus, scheduler: str, *, all_paused: bool) -> str:
    match job.state:
        case "running":
            return _running(job)
        case "paused":
            return _paused(job, scheduler)
        case "unregistered":
            return "not registered by any pod"
        case "due" | "waiting" if all_paused:
            return all_are_paused(scheduler)
        case "due":
            return f"due for {_span(job.now - (job.due or 0))}: {_why_due(job)}"
        case "waiting":
            return _waiting(job, job.due or 0)


def _why_due(job: JobStatus) -> str:
    if not job.full:
        return (
            "no pod runs; or none takes it: no free permit, an open breaker, another shard, or an earlier run goes on"
        )
    return "; ".join(
        f"the limit of label `{one.label}` is reached: {one.limit} of {one.limit} jobs with `{one.value}` run "
        f"({', '.join(one.running[:MOST_NAMED])}{', ...' if len(one.running) > MOST_NAMED else ''})"
        for one in job.full
    )


def _running(job: JobStatus) -> str:
    lost = "" if job.has_lease else ", whose lease expired; another pod makes the job due again"
    left = (job.deadline or 0) - job.now
    deadline = f"deadline in {_span(left)}" if left >= 0 else f"deadline passed {_span(-left)} ago"
    where = f"`{job.consumer}`" if job.consumer else "an unknown consumer"
    kept = ", and the run goes on: the job runs again when this run or its pod ends" if job.kept else ""
    return f"running on {where}{lost}; {deadline}{kept}"


def all_are_paused(scheduler: str) -> str:
    """Say so, and how that ends."""
    return f"all jobs are paused, until `penstock scheduler resume {scheduler} --all`"


def _paused(job: JobStatus, scheduler: str) -> str:
    ends = f"it runs again after `penstock scheduler resume {scheduler} {job.name}`"
    if job.given_up is None:
        return f"paused; {ends}"
    times = _failures(job.last_run) if job.last_run is not None else "failures"
    return f"paused {_span(job.now - job.given_up)} ago after {times} (`failures.pause_after`); {ends}"


def _waiting(job: JobStatus, due: int) -> str:
    last = job.last_run
    if last is not None and last.streak and last.next == due and (last.lost > 1 or not last.was_begun(due)):
        of = f" of class `{last.class_}`" if not last.lost and last.class_ not in ("", "-") else ""
        return f"backing off after {_failures(last)}{of}; due in {_span(due - job.now)}"
    return f"waiting; due in {_span(due - job.now)}"


def _failures(last: RunRecord) -> str:
    times = "1 failure" if last.streak == 1 else f"{last.streak} failures in a row"
    if not last.lost:
        return times
    runs = "1 run" if last.lost == 1 else f"{last.lost} runs in a row"
    by = f"{runs} lost with {'its pod' if last.lost == 1 else 'their pods'}, which the job may have crashed"
    return by if last.lost == last.streak else f"{times}, the last of them {by}"


def _last_run(job: JobStatus) -> str:
    last = job.last_run
    if last is None:
        return "no run has ended yet"
    took, ago = _span(last.ended - last.acquired), _span(job.now - last.ended)
    return f"last run: {last.outcome}, {ago} ago on `{last.consumer}`, took {took}"


def _schedule(job: EffectiveJob, now: float) -> str:
    if job.cron is None:
        return f"runs every {job.every}"
    following = cron_after(job.cron, job.time_zone, now) - now
    return f"runs by `{job.cron}` ({job.time_zone}), next in {_span(following)}"


def _span(seconds: float) -> str:
    return span(1000 * seconds)
