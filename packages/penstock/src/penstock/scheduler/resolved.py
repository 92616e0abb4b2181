"""A scheduler's spec in its environment, from a repository or from a generated file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

from penstock.resolved import GENERATED, Resolved, ResolvedPipeline, from_generated, generated, specs
from penstock.resolved import resolve as resolve_pipelines
from penstock_spec.findings import CannotGoOn, LintResult
from penstock_spec.kinds.scheduler import Scheduler
from penstock_spec.kinds.scheduler.keys import SchedulerKeys

PIPELINES = "pipelines"
"""The folder next to a worker file that has the pipelines that jobs send to."""

FindPipeline = Callable[[str], ResolvedPipeline]
"""Returns the pipeline with this name in the same environment. Raises CannotGoOn."""


class ResolvedScheduler(Resolved[Scheduler]):
    """One scheduler in one environment."""

    __slots__ = ()
    model = Scheduler

    @property
    def keys(self) -> SchedulerKeys:
        """Its keys in Redis."""
        return SchedulerKeys.of(self.spec.keys)

    @property
    def slot_key(self) -> str:
        """The key whose node the scheduler's connections lead to."""
        return self.keys.waiting


def resolve(
    file: Path, platform: Path | None, environment: str | None, here: Path, today: date
) -> tuple[ResolvedScheduler | None, LintResult | None]:
    """The scheduler in this file, or the findings if its spec has errors."""
    if file.suffix == GENERATED:
        return ResolvedScheduler.of(generated(file, environment), file), None
    resolved, outcome = specs((file,), platform, environment, here, today)
    if not resolved:
        return None, outcome
    return ResolvedScheduler.of(resolved[0], file), None


def pipelines_of(
    scheduler: ResolvedScheduler, platform: Path | None, folder: Path | None, here: Path, today: date
) -> FindPipeline:
    """A function that finds the pipelines that jobs send to, in the repository or among the generated files."""

    def find(name: str) -> ResolvedPipeline:
        if folder is not None or scheduler.file.suffix == GENERATED:
            pipeline = from_generated((folder or scheduler.file.parent / PIPELINES) / f"{name}{GENERATED}", None)
        else:
            resolution = resolve_pipelines((), platform, scheduler.environment, here, today)
            known = {one.name: one for one in resolution.pipelines}
            if name not in known:
                says = f"a job sends to `{name}`, which is not a pipeline here, or has errors"
                raise CannotGoOn(says, "see `penstock lint`")
            pipeline = known[name]
        return pipeline.on(scheduler.redis) if scheduler.generated else pipeline

    return find
