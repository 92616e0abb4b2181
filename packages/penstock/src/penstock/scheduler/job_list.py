"""Lists the jobs that should exist and those that belong to this pod; read again at each refresh."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from penstock.handling.team_code import CodeReference, find
from penstock.observe.events import Event
from penstock.observe.logs import Log
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.scheduler.effective import EffectiveJob, effective, effective_jobs, runs
from penstock_spec.kinds.scheduler.job import Job
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.kinds.scheduler.work import Patterns
from penstock_spec.values.strings import printable

log = Log(logging.getLogger(__name__))

MOST_LOGGED = 3
"""Invalid entries of a list that are logged by name."""


@dataclass(frozen=True, slots=True)
class JobList:
    """The jobs at one moment."""

    mine: Mapping[str, EffectiveJob] = field(default_factory=dict)
    """Enabled jobs in this pod's shards."""
    disabled: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    """Names of all jobs on the list, enabled or not, in any shard."""
    shards: frozenset[int] | None = None
    """This pod's shards; None for all."""


Read = Callable[[], Awaitable[Any]]


class JobLister:
    """Reads the jobs from the spec or from the team's functions."""

    def __init__(
        self, spec: Scheduler, paths: Iterable[Path] = (), patterns: Callable[[], Patterns] | None = None
    ) -> None:
        """Import the functions that the spec names. Raises CannotGoOn. `patterns` returns the patterns in force."""
        self._spec = spec
        self._patterns = patterns or (lambda: spec.patterns)
        self._jobs = _find_function(spec.jobs, "jobs", spec, paths) if isinstance(spec.jobs, str) else None
        self._shards = _find_function(spec.shards.mine, "shards.mine", spec, paths) if spec.shards.mine else None
        self._fixed = {one.name: one for one in effective_jobs(spec)} if self._jobs is None else {}
        self._known: dict[str, tuple[object, EffectiveJob]] = {}
        self._runs: dict[str, bool] = {}

    async def read(self) -> JobList:
        """List the jobs. Raises whatever the team's functions raise, and TypeError if they return no list."""
        # In a thread: the result may be a generator that blocks, and 100,000 jobs take seconds.
        jobs = self._fixed if self._jobs is None else await asyncio.to_thread(self._read, await self._jobs())
        shards = None if self._shards is None else frozenset(int(shard) for shard in await self._shards())
        if (patterns := await asyncio.to_thread(self._patterns)) != self._spec.patterns:
            self._spec, self._runs = self._spec.model_copy(update={"patterns": patterns}), {}
        self._runs = {name: self._runs[name] if name in self._runs else runs(self._spec, name) for name in jobs}
        mine = {name: job for name, job in jobs.items() if self._runs[name] and (shards is None or job.shard in shards)}
        disabled = frozenset(name for name, enabled in self._runs.items() if not enabled)
        return JobList(mine, disabled, frozenset(jobs), shards)

    def _read(self, returned: object) -> dict[str, EffectiveJob]:
        if isinstance(returned, str | bytes | Mapping) or not isinstance(returned, Iterable):
            raise TypeError(f"`{self._spec.jobs}` returned a `{type(returned).__qualname__}` instead of a list of jobs")
        known: dict[str, tuple[object, EffectiveJob]] = {}
        invalid: list[str] = []
        for entry in returned:
            name = entry if isinstance(entry, str) else entry.get("name") if isinstance(entry, Mapping) else None
            cached = self._known.get(name) if isinstance(name, str) else None
            if cached is not None and cached[0] == entry:
                known.setdefault(str(name), cached)
                continue
            try:
                job = self._job(entry)
            except (ValidationError, ValueError) as error:
                invalid.append(f"{printable(entry)}: {_first_error(error)}")
                continue
            known.setdefault(job.name, (deepcopy(entry), job))  # the function may change its object and return it again
        if invalid:
            more = f"; and {len(invalid) - MOST_LOGGED} more" if len(invalid) > MOST_LOGGED else ""
            log.event(Event.JOBS_INVALID, list=self._spec.jobs, jobs="; ".join(invalid[:MOST_LOGGED]) + more)
        self._known = known
        return {name: job for name, (_, job) in known.items()}

    def _job(self, entry: object) -> EffectiveJob:
        job = effective(self._spec, Job.model_validate({"name": entry} if isinstance(entry, str) else entry))
        if (job.every is None) == (job.cron is None):
            problem = "it has neither `every` nor `cron`" if job.every is None else "it has both `every` and `cron`"
            raise ValueError(problem)
        if job.name.isdecimal() and self._spec.cleanup.orphans.enabled and self._spec.cleanup.orphans.remove_numeric:
            raise ValueError("its name is only digits, and `cleanup.orphans.remove_numeric` removes such entries")
        if job.handler is None and job.send is None:
            raise ValueError("it has no `handler`, and the spec has no default handler")
        return job


def _find_function(named: str, where: str, spec: Scheduler, paths: Iterable[Path]) -> Read:
    """Find a function of the team's code; it is awaited, or called in a thread."""
    code = CodeReference(named, where, f"`{spec.name}`", "run this where the code is, or name its folder by `--path`")
    function = find(code, paths)
    if not callable(function):
        says = f"`{named}` is a `{type(function).__qualname__}`, but `{where}` needs a function"
        raise CannotGoOn(says, "name a function without parameters that returns a list")

    async def read() -> Any:  # noqa: ANN401 - whatever the function returns
        result = function() if inspect.iscoroutinefunction(function) else await asyncio.to_thread(function)
        return await result if inspect.isawaitable(result) else result

    return read


def _first_error(error: ValidationError | ValueError) -> str:
    return str(error.errors()[0]["msg"]) if isinstance(error, ValidationError) else str(error)
