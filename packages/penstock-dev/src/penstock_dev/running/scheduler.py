"""Runs a scheduler with the number of pods in its spec, from the files that pods read. It has no autoscaling."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from penstock.observe.events import Event
from penstock.operating.jobs import JobControl, JobStatus
from penstock.operating.reach import as_sentence
from penstock.pod.links import link_to
from penstock.resolved import ResolvedPipeline
from penstock.scheduler.resolved import PIPELINES, ResolvedScheduler
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
"""A folder of its own: the janitor reads all files of pipelines."""
ALL = "*"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LastRuns:
    """When each job's last run ended, and when that was read."""

    ends: dict[str, float]
    at: float


@dataclass(slots=True)
class SchedulerWorkload:
    """One scheduler in its environment."""

    resolved: ResolvedScheduler
    pipelines: tuple[ResolvedPipeline, ...] = ()
    """The pipelines that its jobs may send to, whether they run here or not."""
    _before: LastRuns | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return self.resolved.name

    @property
    def kind(self) -> str:
        return "scheduler"

    @property
    def environment(self) -> str:
        return self.resolved.environment

    @property
    def spec(self) -> Scheduler:
        return self.resolved.spec

    @property
    def replica_bounds(self) -> tuple[int, int]:
        return self.spec.replicas, self.spec.replicas

    @property
    def grace(self) -> float:
        return self.spec.shutdown.grace.seconds

    @property
    def ready(self) -> frozenset[Event]:
        return frozenset({Event.CONSUMER_JOINED})

    @property
    def needs_janitor(self) -> bool:
        """One of its own pods is the leader and cleans up."""
        return False

    def on(self, redis: Redis) -> SchedulerWorkload:
        return SchedulerWorkload(self.resolved.on(redis), tuple(one.on(redis) for one in self.pipelines))

    def link(self, credentials: Credentials) -> Link:
        return link_to(self.resolved, credentials, "dev")

    def process_files(self) -> tuple[dict[Path, str], str]:
        """As in a pod: its own file, and the files of the pipelines that it sends to."""
        around = (self.resolved.generated or self.resolved).around
        shutdown = self.spec.shutdown.model_copy(update={"sidecar_quit_url": None})  # there is no sidecar
        spec = self.spec.model_copy(update={"shutdown": shutdown})
        text, digest = worker_file.write(self.environment, spec, around, None)
        digests, files = [digest], {self._file: text}
        for one in self.pipelines:
            pipeline_files, digest = PipelineWorkload(one).process_files()
            digests.append(digest)
            files |= {self._file.parent / PIPELINES / path: text for path, text in pipeline_files.items()}
        return files, " ".join(digests)

    def arguments(self, files: Path, url: str, paths: Sequence[Path]) -> list[str]:
        code = [word for path in paths for word in ("--path", str(path))]
        options = ["--redis", url, "--listen", "127.0.0.1:0", "--log-format", "json"]
        return ["scheduler", "run", str(files / self._file), *options, *code]

    def settings(self) -> None:
        """No autoscaling."""
        return

    async def readings(self, link: Link, janitor: int | None) -> Readings:
        """No triggers."""
        del link, janitor
        return {}

    async def measure(self, link: Link) -> Measurements:
        control = JobControl(self.resolved, link)
        statuses, all_paused = await control.status(await control.names()), await control.all_paused()
        due = [one.now - (one.due or 0) for one in statuses if one.state == "due"]
        running = [one for one in statuses if one.state == "running"]
        held: dict[str, int] = {}
        for one in running:
            held[one.consumer] = held.get(one.consumer, 0) + 1
        return Measurements(
            by_state=(
                ("registered", len(statuses)),
                ("ready", len(due)),
                ("running", len(running)),
                ("paused", sum(one.state == "paused" for one in statuses)),
                ("ok", sum(one.last_run is not None and one.last_run.outcome == "ok" for one in statuses)),
                ("failing", sum(one.last_run is not None and one.last_run.streak > 0 for one in statuses)),
            ),
            backlog=len(due),
            oldest=max(due, default=0.0),
            done=self._done(statuses),
            held=held,
            paused=all_paused,
        )

    def reset(self) -> None:
        self._before = None

    async def send(self, link: Link, credentials: Credentials, count: int) -> str:
        """Make the next job due now."""
        del credentials
        if count != 1:
            raise CannotGoOn(f"`{self.name}` is a scheduler and takes no messages", "press `s` to run the next job now")
        control = JobControl(self.resolved, link)
        statuses = await _call(_job_statuses(control))
        next_ = min(
            (one for one in statuses if one.state == "waiting"), key=lambda one: (one.due, one.name), default=None
        )
        if next_ is None:
            raise CannotGoOn(f"`{self.name}` has no waiting job", "see `penstock scheduler list`")
        await _call(control.change("run_now", [next_.name]))  # true as well if a pod has taken it meanwhile
        return f"job `{next_.name}` is due now"

    async def set_paused(self, link: Link, *, paused: bool) -> str:
        await _call(JobControl(self.resolved, link).change("pause" if paused else "resume", [ALL]))
        return "paused all jobs" if paused else "resumed all jobs"

    @property
    def _file(self) -> Path:
        return FOLDER / self.name / "worker.json"

    def _done(self, statuses: Sequence[JobStatus]) -> float | None:
        """Runs per second since the last measurement. Two runs of one job in between count as one."""
        now = (
            LastRuns({one.name: one.last_run.ended for one in statuses if one.last_run}, statuses[0].now)
            if statuses
            else None
        )
        before, self._before = self._before, now
        if now is None or before is None or now.at <= before.at:
            return None
        ended = sum(before.ends.get(name) != at for name, at in now.ends.items())
        return ended / (now.at - before.at)


def sends_to(spec: Scheduler, known: Sequence[ResolvedPipeline]) -> tuple[ResolvedPipeline, ...]:
    """The pipelines that its jobs send to; all known ones if a function provides the jobs."""
    if isinstance(spec.jobs, str):
        return tuple(known)
    named = {one.send.pipeline for one in effective_jobs(spec) if one.send is not None}
    return tuple(one for one in known if one.name in named)


async def _job_statuses(control: JobControl) -> list[JobStatus]:
    return await control.status(await control.names())


async def _call(request: Awaitable[T]) -> T:
    """Turn an error of Redis into a sentence for the screen."""
    try:
        return await request
    except RedisTrouble as error:
        raise as_sentence(error) from None
