"""What a pod took of what was due."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import LONG, QUICK, Label, Topic, meaning

PERMITS = gauge("permits", "Jobs that this pod may run at a time; 0 where there is no bound.")
PERMITS_FREE = gauge("permits_free", "Of these, those that nothing holds; 0 where there is no bound.")
CAPACITY_PER_CYCLE = gauge("capacity_per_cycle", "Jobs that this pod could take in its last cycle.")
CYCLE_SECONDS = histogram("cycle", "How long one cycle took: from looking to the last start.", QUICK)
ACQUIRED = counter("acquired", "Jobs that this pod took to run them.")
FILTERED = counter(
    "filtered",
    "Due jobs that this pod passed over.",
    Label(
        "why",
        "the cause",
        meaning(
            shard="it belongs to the shard of others",
            pattern="it is not enabled, or disabled",
            unknown="nothing is known of it",
        ),
    ),
)
SUBMISSION_FAILURES = counter("submission_failures", "Jobs that were taken, could not be started, and went back.")
LATENESS_SECONDS = histogram("lateness", "From when a job was due until it was started.", LONG)

TOPIC = Topic(
    "Taking",
    "What a pod took of what was due.",
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
