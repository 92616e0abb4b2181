"""The number of Redis connections that a scheduler's pods hold."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler

POD = {
    "taker": 1,  # takes due jobs
    "returner": 1,  # gives back jobs while the taker waits
    "maintenance": 1,  # registers jobs and measures
    "orphans": 1,  # makes jobs of lost pods due again
    "lease": 1,  # renewed in a separate thread
}
"""Connections of one pod, independent of its concurrency. Each pipeline that jobs send to needs one more."""
PER_POD = sum(POD.values())


def max_connections(spec: Scheduler) -> int:
    """Connections of all pods, if each has sent to every pipeline of the listed jobs."""
    return spec.replicas * (PER_POD + len({job.send.pipeline for job in effective_jobs(spec) if job.send is not None}))
