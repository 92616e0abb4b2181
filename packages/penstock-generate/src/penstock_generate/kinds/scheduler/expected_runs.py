"""The expected rate of runs of a scheduler's jobs."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.effective import effective_jobs, runs
from penstock_spec.kinds.scheduler.spec import Scheduler

OFTEN = 300
"""Seconds. A job with this interval runs three times in 15 minutes; a rarer one may not run at all in that time."""


def runs_per_second(spec: Scheduler) -> float | None:
    """The expected rate of listed jobs with a short `every`; None if a function lists the jobs."""
    if not isinstance(spec.jobs, list):
        return None
    every = [job.every for job in effective_jobs(spec) if runs(spec, job.name)]
    return round(sum(1 / one.seconds for one in every if one is not None and one.seconds <= OFTEN), 6)


def sends_to(spec: Scheduler) -> tuple[str, ...]:
    """The names of the pipelines that listed jobs send to."""
    return tuple(sorted({job.send.pipeline for job in effective_jobs(spec) if job.send is not None}))
