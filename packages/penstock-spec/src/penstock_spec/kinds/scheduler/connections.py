"""The number of Redis connections that a scheduler's pods hold."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler

POD = {
    "taker": 1,  # takes due jobs
    "hand": 1,  # gives back jobs while the taker waits
    "side": 1,  # registers, and counts for metrics
    "orphans": 1,  # makes jobs of lost pods due again
    "life": 1,  # renews the lease from a thread of its own
}
"""Connections of one pod, independent of its concurrency. Each pipeline that jobs send to needs one more."""
PER_POD = sum(POD.values())


def max_connections(spec: Scheduler) -> int:
    """Connections of all pods, if each has sent to every pipeline of the listed jobs."""
    return spec.replicas * (PER_POD + len({job.send.pipeline for job in effective_jobs(spec) if job.send is not None}))
