"""Metrics of every pod: its version, its connection to Redis and its scripts."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import NAMES, POD, counter, gauge
from penstock_spec.metrics import Label, ProcessMetrics, Topic, meaning

SCRIPT = Label(
    "script",
    "script",
    meaning(
        register="adding jobs to the waiting set",
        unregister="removing jobs",
        acquire="taking due jobs",
        complete="giving back jobs that ended",
        release="giving back jobs that did not run",
        lease="renewing and ending the pod's lease",
        lead="electing the leader",
        clean="finding jobs of lost pods",
        look="counting jobs",
        prune="removing entries of limits that no run holds",
        pause="pausing, resuming and running jobs immediately",
    ),
)

_common = ProcessMetrics.of(NAMES, POD, scheduler="runs jobs")
INFO = _common.info
REDIS_SECONDS = _common.redis_seconds
REDIS_ERRORS = _common.redis_errors
REDIS_CONNECTIONS = _common.redis_connections
REDIS_CONNECTS = _common.redis_connects
SCRIPT_ERRORS = counter("script_errors", "Scripts that failed.", SCRIPT)
SCRIPTS_SENT_WHOLE = counter(
    "scripts_sent_whole",
    "Scripts that were sent again with their full text, because Redis had lost them or does not keep them.",
    SCRIPT,
)
LEASE_LOST = counter("lease_lost", "Leases that this pod lost; other pods may have taken its jobs.")
LOOP_LAG_SECONDS = gauge("loop_lag_seconds", "Longest delay of the event loop in the last 30 seconds.")
DRAINING = gauge("draining", "1 while the pod drains, from SIGTERM to its exit.")

TOPIC = Topic(
    "Every pod",
    "The version that runs, and its connection to Redis.",
    (
        INFO,
        REDIS_SECONDS,
        REDIS_ERRORS,
        REDIS_CONNECTIONS,
        REDIS_CONNECTS,
        SCRIPT_ERRORS,
        SCRIPTS_SENT_WHOLE,
        LEASE_LOST,
        LOOP_LAG_SECONDS,
        DRAINING,
    ),
)
