"""Metrics of workers: received messages, attempts and their outcomes."""

from __future__ import annotations

from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.pipeline.metrics.define import LONG, QUICK, WORKER, counter, gauge, histogram, source
from penstock_spec.metrics import Label, Topic, meaning

STEP = Label(
    "step",
    "step that the worker attempted",
    meaning(
        settle="the message is done",
        park="the message is retried later",
        bury="the message becomes a dead letter",
        give_back="the message is not run here",
        recover="the message was pending nowhere and is made available again",
    ),
)

SLOTS = gauge("slots", "Slots: messages that this worker can run at a time.", WORKER)
SLOTS_FREE = gauge("slots_free", "Free slots.", WORKER)
RUNNING = gauge("running", "Messages that are running in this worker.", WORKER)
UNSETTLED = gauge("unsettled", "Outcomes that are not stored in Redis yet; each occupies a slot.", WORKER)
REFUSED = gauge("refused", "Outcomes that Redis did not accept; the worker repeats them.", WORKER)
ABANDONED = gauge(
    "abandoned", "Handlers that are still running after their timeout, because threads cannot be stopped.", WORKER
)
PENDING_LIMIT_REACHED = gauge(
    "pending_limit_reached",
    "1 while this worker reads no new messages because of `work.max_pending_per_worker`.",
    WORKER,
)
DELIVERED = counter(
    "delivered",
    "Messages that were delivered to this worker.",
    WORKER,
    source("new", "ready", "suspect"),
)
REDELIVERED = counter("redelivered", "Deliveries of messages that are already running here; they are ignored.", WORKER)
DONE = counter("done", "Messages that are done.", WORKER)
RETRIED = counter(
    "retried",
    "Messages that failed and will be retried.",
    WORKER,
    Label("class", f"failure class in `retries.classes`, or `{NO_CLASS}`"),
)
DEAD = counter(
    "dead",
    "Messages that became dead letters.",
    WORKER,
    Label(
        "reason",
        "cause of the dead letter",
        meaning(
            failed="its last attempt failed",
            lost="its last worker was lost",
            unreadable="it cannot be decoded, or does not match the schema",
            refused="its handler rejected it permanently",
        ),
    ),
)
NOT_BURIED = counter(
    "not_buried",
    "Failures after the last attempt that are retried nevertheless, because the dead letters have reached their limit.",
    WORKER,
)
GIVEN_BACK = counter(
    "given_back",
    "Messages that were given back without charging an attempt.",
    WORKER,
    Label(
        "why",
        "cause of giving it back",
        meaning(
            unstarted="the drain began before it started",
            drained="the end of the drain cut it off",
            found="assigned to this worker but not running, because an answer of Redis was lost",
            cancelled="delivered again while its cancelled handler was still ending",
            recovered="pending nowhere, because a foreign client deleted its consumer; only with history",
        ),
    ),
)
FENCED = counter("fenced", "Steps without effect, because another consumer owns the message now.", WORKER, STEP)
GONE = counter("gone", "Steps without effect, because the message is no longer pending.", WORKER, STEP)
TIMEOUTS = counter("timeouts", "Attempts that exceeded `work.timeout`.", WORKER)
HANDLING_SECONDS = histogram(
    "handling",
    "Duration of attempts.",
    WORKER,
    LONG,
    Label(
        "outcome",
        "outcome of the attempt",
        meaning(
            done="ended without an error",
            failed="ended with an error",
            timed_out="exceeded `work.timeout`",
            crashed="its process died",
            cancelled="cancelled by a drain or after the lease was lost",
        ),
    ),
)
WAITING_SECONDS = histogram(
    "waiting",
    "Time from entering the stream to the first delivery. All messages of one read count with the age of the oldest.",
    WORKER,
    LONG,
)
SETTLE_SECONDS = histogram(
    "settle", "Time from the end of a handler until its outcome is stored in Redis.", WORKER, QUICK
)
CHILDREN = gauge("children", "Child processes that run handlers.", WORKER)
CHILDREN_STARTED = counter("children_started", "Started child processes.", WORKER)
CHILDREN_CRASHED = counter("children_crashed", "Child processes that crashed or exceeded their memory limit.", WORKER)
LEASE_EXPIRED = counter(
    "lease_expired",
    "Times when this worker could not renew its lease for `work.lease`, so that others may have taken over.",
    WORKER,
)
LEASE_LOST = counter("lease_lost", "Leases that this worker lost to others, who took over its messages.", WORKER)
LOOP_LAG_SECONDS = gauge("loop_lag_seconds", "Longest delay of the event loop in the last 30 seconds.", WORKER)

TOPIC = Topic(
    "Worker",
    "Received messages, attempts and their outcomes.",
    (
        SLOTS,
        SLOTS_FREE,
        RUNNING,
        UNSETTLED,
        REFUSED,
        ABANDONED,
        PENDING_LIMIT_REACHED,
        DELIVERED,
        REDELIVERED,
        DONE,
        RETRIED,
        DEAD,
        NOT_BURIED,
        GIVEN_BACK,
        FENCED,
        GONE,
        TIMEOUTS,
        HANDLING_SECONDS,
        WAITING_SECONDS,
        SETTLE_SECONDS,
        CHILDREN,
        CHILDREN_STARTED,
        CHILDREN_CRASHED,
        LEASE_EXPIRED,
        LEASE_LOST,
        LOOP_LAG_SECONDS,
    ),
)
