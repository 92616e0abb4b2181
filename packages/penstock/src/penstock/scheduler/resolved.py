"""A scheduler's spec in its environment, from a repository or from what was generated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from penstock import resolved as files
from penstock.resolved import Resolved as Pipeline
from penstock_spec import worker_file
from penstock_spec.findings import CannotGoOn, LintResult
from penstock_spec.kinds import kinds
from penstock_spec.kinds.scheduler import Scheduler
from penstock_spec.kinds.scheduler.keys import SchedulerKeys
from penstock_spec.platform import Environment, Redis

GENERATED = ".json"
PIPELINES = "pipelines"
"""The folder beside a worker file in which pods find the pipelines that jobs send to."""

ToPipeline = Callable[[str], Pipeline]
"""From a pipeline's name to its spec in the same environment. Raises CannotGoOn."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """One scheduler in one environment."""

    spec: Scheduler
    environment: str
    around: Environment
    file: Path
    generated: Resolved | None = None
    """The same on its own Redis, where it runs on another."""

    @property
    def name(self) -> str:
        """As its spec says."""
        return self.spec.name

    @property
    def keys(self) -> SchedulerKeys:
        """Where it stands in Redis."""
        return SchedulerKeys.of(self.spec.keys)

    @property
    def redis(self) -> Redis:
        """Where its Redis is."""
        return self.around.redis

    def on(self, redis: Redis) -> Resolved:
        """The same on another Redis."""
        around = self.around.model_copy(update={"redis": redis})
        return replace(self, around=around, generated=self.generated or self)

    @property
    def digest(self) -> str:
        """Of all that a pod looks at, as in `worker.json`."""
        around = (self.generated or self).around
        return worker_file.write(self.environment, self.spec, around, None)[1]


def resolve(
    file: Path, platform: Path | None, environment: str | None, here: Path, today: date
) -> tuple[Resolved | None, LintResult | None]:
    """The scheduler in this file; none where its spec has errors, which are told instead."""
    if file.suffix == GENERATED:
        told = files.generated(file, environment)
        return Resolved(_scheduler(told.spec, file), told.environment, told.around, file), None
    found, outcome = files.specs((file,), platform, environment, here, today)
    if not found:
        return None, outcome
    return Resolved(_scheduler(found[0].model, file), found[0].environment, found[0].around, found[0].file), None


def _scheduler(spec: object, file: Path) -> Scheduler:
    if not isinstance(spec, Scheduler):
        kind = str(getattr(spec, "kind", ""))
        says = f"`{file}` is a {kind}, and a scheduler is asked for"
        raise CannotGoOn(says, f"run it with `{kinds()[kind].run} {file}`")
    return spec


def pipelines_of(
    scheduler: Resolved, platform: Path | None, folder: Path | None, here: Path, today: date
) -> ToPipeline:
    """How the pipelines are found that its jobs send to: in the repository, or where the generator wrote them."""

    def find(name: str) -> Pipeline:
        if folder is not None or scheduler.file.suffix == GENERATED:
            found = files.from_generated((folder or scheduler.file.parent / PIPELINES) / f"{name}{GENERATED}", None)
        else:
            resolution = files.resolve((), platform, scheduler.environment, here, today)
            known = {one.name: one for one in resolution.pipelines}
            if name not in known:
                says = f"a job sends to `{name}`, and there is no such pipeline without errors here"
                raise CannotGoOn(says, "see `penstock lint`")
            found = known[name]
        return found.on(scheduler.redis) if scheduler.generated else found

    return find
