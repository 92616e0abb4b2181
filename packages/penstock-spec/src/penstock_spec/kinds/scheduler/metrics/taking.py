"""Metrics of taking due jobs."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import LONG, QUICK, Label, Topic, meaning

PERMITS = gauge("permits", "Permits: jobs that this pod may run at a time; 0 without a limit.")
PERMITS_FREE = gauge("permits_free", "Free permits; 0 without a limit.")
CAPACITY_PER_CYCLE = gauge("capacity_per_cycle", "Jobs that this pod could take in its last cycle.")
CYCLE_SECONDS = histogram("cycle", "Duration of a cycle, from reading due jobs to starting the last one.", QUICK)
ACQUIRED = counter("acquired", "Jobs that this pod took to run.")
FILTERED = counter(
    "filtered",
    "Due jobs that this pod did not take.",
    Label(
        "why",
        "reason",
        meaning(
            shard="it belongs to the shard of another pod",
            pattern="it is not enabled, or it is disabled",
            unknown="its settings are unknown",
            running="a run of it from before the pod lost its lease has not ended here",
            limit="a limit of its labels is reached",
            suspect="its pods were lost one after another, and the pod runs another such job",
        ),
    ),
)
SUBMISSION_FAILURES = counter("submission_failures", "Jobs that were taken, could not be started, and were given back.")
LATENESS_SECONDS = histogram("lateness", "Time from the due time of a job to its start.", LONG)

TOPIC = Topic(
    "Taking jobs",
    "Due jobs that a pod takes, and those that it does not.",
    (
        PERMITS,
        PERMITS_FREE,
        CAPACITY_PER_CYCLE,
        CYCLE_SECONDS,
        ACQUIRED,
        FILTERED,
        SUBMISSION_FAILURES,
        LATENESS_SECONDS,
    ),
)
