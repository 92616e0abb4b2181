"""How many connections to Redis a scheduler's pods hold."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler

POD = {
    "taker": 1,  # takes what is due
    "hand": 1,  # hands back what ended, also while the other waits
    "side": 1,  # registers, and counts for metrics
    "orphans": 1,  # looks after jobs of lost pods
    "life": 1,  # renews the lease from a thread of its own
}
"""Connections of one pod, whatever its concurrency. Each pipeline that jobs send to takes one more."""
PER_POD = sum(POD.values())


def at_most(spec: Scheduler) -> int:
    """Those of all its pods, when each has sent to all pipelines that its listed jobs send to."""
    return spec.replicas * (PER_POD + len({job.send.pipeline for job in effective_jobs(spec) if job.send is not None}))
