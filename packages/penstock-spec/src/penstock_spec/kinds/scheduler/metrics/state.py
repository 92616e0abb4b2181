"""Metrics of the state of all jobs, and the health of the pod."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import gauge, measured
from penstock_spec.metrics import Label, Topic, meaning

WAITING = measured("waiting", "Jobs in the waiting set, due or not.")
WORKING = measured("working", "Jobs in the working set, in all pods.")
PAUSED = measured("paused", "Paused jobs.")
GIVEN_UP = measured("given_up", "Jobs that are paused after `failures.pause_after` failures in a row.")
OLDEST_OVERDUE_SECONDS = measured(
    "oldest_overdue_seconds", "Time that the oldest due job has waited; 0 while none is due or all are paused."
)
READY = measured(
    "ready",
    "Due jobs that this pod may take: enabled, and in its shards. With shards, it is estimated from the first 1000 due "
    "jobs.",
)
REGISTERED = gauge("registered", "Jobs that this pod has registered.")
MEAN_INTERVAL_SECONDS = gauge(
    "mean_interval_seconds",
    "Mean interval of the jobs that this pod has registered. A cron job counts as one minute.",
)
DEGRADED = gauge("degraded", "1 while this pod is degraded, as defined in `health`.")
WATCHDOG = gauge(
    "watchdog",
    "1 while this signal is active.",
    Label(
        "signal",
        "suspected problem",
        meaning(
            capacity_skew="jobs are due and permits are free, but few jobs are taken",
            zero_progress="jobs are due, but none is taken",
            redis_stall="a circuit breaker is not closed, or Redis does not answer",
        ),
    ),
)

TOPIC = Topic(
    "State",
    "The sets of jobs and the health of the pod. Each pod measures the same sets in Redis, so take the maximum over "
    "pods, not the sum.",
    (
        WAITING,
        WORKING,
        PAUSED,
        GIVEN_UP,
        OLDEST_OVERDUE_SECONDS,
        READY,
        REGISTERED,
        MEAN_INTERVAL_SECONDS,
        DEGRADED,
        WATCHDOG,
    ),
)
