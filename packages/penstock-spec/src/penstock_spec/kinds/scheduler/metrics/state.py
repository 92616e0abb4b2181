"""How it stands with the jobs, and whether that is well."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import gauge, measured
from penstock_spec.metrics import Label, Topic, meaning

WAITING = measured("waiting", "Jobs in the waiting set, due or not.")
WORKING = measured("working", "Jobs in the working set, whoever runs them.")
PAUSED = measured("paused", "Jobs that are paused.")
OLDEST_OVERDUE_SECONDS = measured(
    "oldest_overdue_seconds", "How long the oldest due job has waited; 0 while none is due, or all are paused."
)
READY = measured(
    "ready",
    "Due jobs that this pod may take: of its shards, and enabled. Where it has shards, it looks at the first thousand "
    "that are due, and reckons from those.",
)
REGISTERED = gauge("registered", "Jobs that this pod has registered as its own.")
MEAN_INTERVAL_SECONDS = gauge(
    "mean_interval_seconds",
    "The mean interval of the jobs that this pod has registered; of a cron job a minute, in which it should start.",
)
DEGRADED = gauge("degraded", "1 while this pod calls itself degraded, as `health` says when.")
WATCHDOG = gauge(
    "watchdog",
    "1 while a signal shows.",
    Label(
        "signal",
        "what is suspicious",
        meaning(
            permit_leak_suspect="few permits are free though little runs, and jobs are due",
            capacity_skew="permits are free and jobs are due, and few are taken",
            zero_progress="jobs are due, and none is taken",
            redis_stall="a circuit breaker is not closed, or Redis does not answer",
        ),
    ),
)

TOPIC = Topic(
    "How it stands",
    "The sets as each pod measures them in Redis, so take the greatest over pods and not the sum; and what the pod "
    "makes of it.",
    (
        WAITING,
        WORKING,
        PAUSED,
        OLDEST_OVERDUE_SECONDS,
        READY,
        REGISTERED,
        MEAN_INTERVAL_SECONDS,
        DEGRADED,
        WATCHDOG,
    ),
)
