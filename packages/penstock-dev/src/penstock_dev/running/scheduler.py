"""How a scheduler runs here: as many pods as its spec says, from the files that pods read; nothing scales them."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from penstock.operating.reach import as_sentence
from penstock.resolved import Resolved as Pipeline
from penstock.scheduler.asking import Desk, Standing
from penstock.scheduler.process import link_to
from penstock.scheduler.resolved import PIPELINES, Resolved
from penstock.wire.credentials import Credentials
from penstock.wire.errors import RedisTrouble
from penstock.wire.link import Link
from penstock_dev.running.pipeline import PipelineWorkload
from penstock_dev.running.workload import Measurements
from penstock_scaling import Readings
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.platform import Redis

FOLDER = Path("schedulers")
"""Apart from the files of pipelines, all of which the janitor reads."""
ALL = "*"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LastRuns:
    """What the last look saw: when each job's last run ended, and when that was."""

    ends: dict[str, float]
    at: float


@dataclass(slots=True)
class SchedulerWorkload:
    """One scheduler in its environment."""

    of: Resolved
    pipelines: tuple[Pipeline, ...] = ()
    """Those that its jobs may send to, whether they run here or not."""
    _before: LastRuns | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The spec's."""
        return self.of.name

    @property
    def kind(self) -> str:
        """The spec's."""
        return "scheduler"

    @property
    def environment(self) -> str:
        """Its name."""
        return self.of.environment

    @property
    def spec(self) -> Scheduler:
        """As it is in its environment."""
        return self.of.spec

    @property
    def replica_bounds(self) -> tuple[int, int]:
        """As the spec says."""
        return self.spec.replicas, self.spec.replicas

    @property
    def grace(self) -> float:
        """Seconds that a pod has to leave."""
        return self.spec.shutdown.grace.seconds

    @property
    def ready(self) -> frozenset[str]:
        """What a pod says when it is ready."""
        return frozenset({"a life begins"})

    @property
    def needs_janitor(self) -> bool:
        """A pod of its own leads and tidies; the janitor has nothing to do with it."""
        return False

    def on(self, redis: Redis) -> SchedulerWorkload:
        """The same on another Redis."""
        return SchedulerWorkload(self.of.on(redis), tuple(one.on(redis) for one in self.pipelines))

    def link(self, credentials: Credentials) -> Link:
        """To where its keys are."""
        return link_to(self.of, credentials, "dev")

    def written(self) -> tuple[dict[Path, str], str]:
        """As a pod has them: its own file, and beside it those of the pipelines that it sends to."""
        around = (self.of.generated or self.of).around
        shutdown = self.spec.shutdown.model_copy(update={"sidecar_quit_url": None})  # nobody is there to be told
        instance_lock = self.spec.model_copy(update={"shutdown": shutdown})
        text, digest = worker_file.write(self.environment, instance_lock, around, None)
        digests, files = [digest], {self._file: text}
        for one in self.pipelines:
            told, of = PipelineWorkload(one).written()
            digests.append(of)
            files |= {self._file.parent / PIPELINES / path: text for path, text in told.items()}
        return files, " ".join(digests)

    def words(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        """The words after `penstock` that run a pod."""
        where = [word for path in paths for word in ("--path", str(path))]
        how = ["--redis", url, "--listen", "127.0.0.1:0", "--log-format", "json"]
        return ["scheduler", "run", str(files / self._file), *how, *where]

    def settings(self) -> None:
        """Nothing scales it."""
        return

    async def read(self, link: Link, janitor: int | None) -> Readings:
        """Nothing, as nothing scales it."""
        del link, janitor
        return {}

    async def look(self, link: Link) -> Measurements:
        """How its jobs stand. Raises RedisTrouble."""
        desk = Desk(self.of, link)
        found, all_paused = await desk.standing(await desk.names()), await desk.all_paused()
        due = [one.now - (one.due or 0) for one in found if one.state == "due"]
        running = [one for one in found if one.state == "running"]
        held: dict[str, int] = {}
        for one in running:
            held[one.life] = held.get(one.life, 0) + 1
        return Measurements(
            by_state=(
                ("registered", len(found)),
                ("ready", len(due)),
                ("running", len(running)),
                ("paused", sum(one.state == "paused" for one in found)),
                ("ok", sum(one.story is not None and one.story.outcome == "ok" for one in found)),
                ("failing", sum(one.story is not None and one.story.streak > 0 for one in found)),
            ),
            backlog=len(due),
            oldest=max(due, default=0.0),
            done=self._done(found),
            held=held,
            paused=all_paused,
        )

    def reset(self) -> None:
        """Redis did not answer: the next look begins anew."""
        self._before = None

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Let a job be due at once: the one that would be next."""
        del credentials
        if count != 1:
            raise CannotGoOn(f"`{self.name}` is a scheduler, which takes no messages", "`s` runs the next job now")
        desk = Desk(self.of, link)
        found = await _asked(_standing(desk))
        next_ = min((one for one in found if one.state == "waiting"), key=lambda one: (one.due, one.name), default=None)
        if next_ is None:
            raise CannotGoOn(f"no job of `{self.name}` waits for its time", "see `penstock scheduler list`")
        await _asked(desk.ask_for("run_now", [next_.name]))  # of one that a pod took meanwhile it is as true
        return f"job `{next_.name}` is due now"

    async def set_paused(self, link: Link, *, held: bool) -> str:
        """Pause all its jobs, or end that."""
        await _asked(Desk(self.of, link).ask_for("pause" if held else "resume", [ALL]))
        return "paused all jobs" if held else "resumed the jobs"

    @property
    def _file(self) -> Path:
        return FOLDER / self.name / "worker.json"

    def _done(self, found: Sequence[Standing]) -> float | None:
        """Runs that ended in a second; of a job that ran twice between two looks, one is seen."""
        now = LastRuns({one.name: one.story.ended for one in found if one.story}, found[0].now) if found else None
        before, self._before = self._before, now
        if now is None or before is None or now.at <= before.at:
            return None
        ended = sum(before.ends.get(name) != at for name, at in now.ends.items())
        return ended / (now.at - before.at)


def sends_to(spec: Scheduler, known: Sequence[Pipeline]) -> tuple[Pipeline, ...]:
    """The pipelines among these that its jobs send to; where a function tells the jobs, it may be any."""
    if isinstance(spec.jobs, str):
        return tuple(known)
    named = {one.send.pipeline for one in effective_jobs(spec) if one.send is not None}
    return tuple(one for one in known if one.name in named)


async def _standing(desk: Desk) -> list[Standing]:
    return await desk.standing(await desk.names())


async def _asked(question: Awaitable[T]) -> T:
    """What Redis has against it, in a sentence for the screen."""
    try:
        return await question
    except RedisTrouble as trouble:
        raise as_sentence(trouble) from None
