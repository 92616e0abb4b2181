"""How often the jobs of a spec are to run, all together."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.effective import effective_jobs, runs
from penstock_spec.kinds.scheduler.spec import Scheduler

OFTEN = 300
"""Seconds. A quarter of an hour sees a job three times that runs as often; others it may well not see at all."""


def runs_per_second(spec: Scheduler) -> float | None:
    """Of listed jobs that run often, as `every` has them; None where a function tells the jobs."""
    if not isinstance(spec.jobs, list):
        return None
    every = [job.every for job in effective_jobs(spec) if runs(spec, job.name)]
    return round(sum(1 / one.seconds for one in every if one is not None and one.seconds <= OFTEN), 6)


def sends_to(spec: Scheduler) -> tuple[str, ...]:
    """The pipelines that listed jobs send to, by name."""
    return tuple(sorted({job.send.pipeline for job in effective_jobs(spec) if job.send is not None}))
