"""What people ask of a scheduler: how its jobs stand, and why one does not run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from penstock.scheduler.due_times import cron_after, interval
from penstock.scheduler.job_steps import ALL, MOST, MOST_ASKED, JobAnswer, JobSteps
from penstock.scheduler.resolved import ResolvedScheduler
from penstock.scheduler.run_record import RunRecord
from penstock.wire.command import Argument
from penstock.wire.errors import Refused
from penstock.wire.link import Link
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective_jobs, matches, runs

State = Literal["running", "due", "waiting", "paused", "unregistered"]


@dataclass(frozen=True, slots=True)
class Standing:
    """One job, at one moment of Redis's time; times are its seconds."""

    name: str
    state: State
    now: float
    due: int | None
    """When it is due again; of one that runs, nothing."""
    deadline: int | None
    """Of one that runs."""
    life: str
    """Which pod's life runs it."""
    lives: bool
    """Whether that goes on."""
    story: RunRecord | None
    shard: int | None

    def told(self) -> dict[str, object]:
        """For machines."""
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


class Desk:
    """Asks over one link."""

    def __init__(self, scheduler: ResolvedScheduler, link: Link) -> None:
        """Nothing is asked yet."""
        self._scheduler = scheduler
        self._keys = scheduler.keys
        self._link = link
        self._steps = JobSteps(link, self._keys)

    async def names(self) -> list[str]:
        """All that are registered, in their order."""
        found: set[str] = set()
        cursor = b"0"
        while True:
            told: Any = await self._link.call("HSCAN", self._keys.jobs, cursor, "COUNT", MOST)
            cursor = told[0]
            found.update(name.decode(errors="replace") for name in told[1][::2])
            if cursor == b"0":
                return sorted(found)

    async def all_paused(self) -> bool:
        """Whether nobody takes anything."""
        return await self._link.call("ZSCORE", self._keys.paused, ALL) is not None

    async def standing(self, names: Sequence[str]) -> list[Standing]:
        """Of each."""
        return [one for at in range(0, len(names), MOST) for one in await self._page(names[at : at + MOST])]

    async def ask_for(self, what: Literal["pause", "resume", "run_now"], names: Sequence[str]) -> list[JobAnswer]:
        """For each, in pages."""
        found: list[JobAnswer] = []
        for at in range(0, len(names), MOST_ASKED):
            found += await self._steps.ask_for(what, names[at : at + MOST_ASKED])
        return found

    async def _page(self, names: Sequence[str]) -> list[Standing]:
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
                Standing(
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


def why(scheduler: ResolvedScheduler, one: Standing, *, all_paused: bool) -> list[str]:
    """In words: when it runs next, and what holds it. The first line says most."""
    spec = scheduler.spec
    job = next((each for each in effective_jobs(spec) if each.name == one.name), None)
    told = list(_now(one, all_paused=all_paused))
    if not runs(spec, one.name):
        pattern = spec.patterns.disabled if matches(spec.patterns.disabled, one.name) else ""
        told.insert(
            0,
            f"it is disabled: `patterns.disabled` (`{pattern}`) matches its name"
            if pattern
            else f"it is not enabled: `patterns.enabled` (`{spec.patterns.enabled}`) does not match its name",
        )
    elif one.state == "unregistered" and job is None and isinstance(spec.jobs, list):
        told.append("the spec does not list it")
    elif one.state == "unregistered":
        told.append("a pod registers it at its next refresh; see that one runs that has its shard")
    if spec.shards.mine is not None and one.shard is not None:
        told.append(f"it belongs to shard {one.shard} of {spec.shards.count}: a pod must have that one")
    told += _last(one)
    if job is not None:
        told.append(_schedule(job, one.now))
    return told


def _now(one: Standing, *, all_paused: bool) -> list[str]:
    match one.state:
        case "running":
            return [_running(one)]
        case "paused":
            return ["it is paused; `penstock scheduler resume` with its name lets it run again"]
        case "unregistered":
            return ["it is not registered: no pod has said that it is to run"]
        case "due" | "waiting":
            pass
    if all_paused:
        return ["all jobs are paused; `penstock scheduler resume --all` lets them run again"]
    return [_waiting(one, one.due or 0)]


def _running(one: Standing) -> str:
    over = "" if one.lives else ", whose lease is over: the leader hands the job back"
    left = (one.deadline or 0) - one.now
    until = f"its time is over in {span(left)}" if left >= 0 else f"its time has been over for {span(-left)}"
    return f"it runs on `{one.life or 'nobody'}`{over}; {until}"


def _waiting(one: Standing, due: int) -> str:
    story = one.story
    if one.state == "due":
        return f"it has been due for {span(one.now - due)}: no pod has had a permit for it, or none runs"
    if story is not None and story.streak and story.next == due and not story.was_begun(due):
        of = f" of class `{story.class_}`" if story.class_ not in ("", "-") else ""
        times = "1 failure" if story.streak == 1 else f"{story.streak} failures in a row"
        return f"it backs off after {times}{of}, and is due in {span(due - one.now)}"
    return f"it waits for its time, and is due in {span(due - one.now)}"


def _last(one: Standing) -> list[str]:
    story = one.story
    if story is None:
        return ["it has not run yet"]
    took = span(story.ended - story.acquired)
    ago = span(one.now - story.ended)
    return [f"its last run ended {ago} ago on `{story.consumer}`: {story.outcome}, after {took}"]


def _schedule(job: EffectiveJob, now: float) -> str:
    if job.cron is not None:
        return (
            f"it runs by `{job.cron}` ({job.time_zone}), next in {span(cron_after(job.cron, job.time_zone, now) - now)}"
        )
    return f"it runs every {span(interval(job))}"


def span(seconds: float) -> str:
    """As people say it: `3h 5m`, `42s`."""
    whole = max(0, round(seconds))
    parts = [(whole // 86_400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "m"), (whole % 60, "s")]
    told = [f"{count}{unit}" for count, unit in parts if count]
    return " ".join(told[:2]) or "0s"
