"""What every pod tells: what runs, and how it gets on with Redis and its scripts."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import NAMES, POD, counter, gauge
from penstock_spec.metrics import EveryProcess, Label, Topic, meaning

SCRIPT = Label(
    "script",
    "which one",
    meaning(
        register="putting jobs into the waiting set",
        unregister="taking them out",
        acquire="taking what is due",
        complete="handing back what ended",
        release="handing back what was not run",
        lease="renewing the pod's lease, and ending it",
        lead="asking who leads",
        clean="looking for what lost pods held",
        look="counting",
        pause="pausing, resuming and running at once",
    ),
)

_told = EveryProcess.of(NAMES, POD, scheduler="runs jobs")
INFO = _told.info
REDIS_SECONDS = _told.redis_seconds
REDIS_ERRORS = _told.redis_errors
REDIS_CONNECTIONS = _told.redis_connections
REDIS_CONNECTS = _told.redis_connects
SCRIPT_ERRORS = counter("script_errors", "Scripts that ended in an error.", SCRIPT)
SCRIPTS_SENT_WHOLE = counter(
    "scripts_sent_whole", "Scripts that were sent whole, as Redis had forgotten them and did not keep them.", SCRIPT
)
LEASE_LOST = counter("lease_lost", "Leases that this pod lost; others may have taken what it ran.")
LOOP_LAG_SECONDS = gauge("loop_lag_seconds", "The worst delay of the event loop in the last half minute.")
DRAINING = gauge("draining", "1 from the signal to the end.")

TOPIC = Topic(
    "Every pod",
    "What runs, and how it gets on with Redis.",
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
