"""What a worker received, what it ran and what came of it."""

from __future__ import annotations

from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.pipeline.metrics.define import LONG, QUICK, WORKER, counter, gauge, histogram, source
from penstock_spec.metrics import Label, Topic, meaning

STEP = Label(
    "step",
    "what the worker wanted",
    meaning(
        settle="it was done",
        park="it is to be tried again later",
        bury="it was to be a dead letter",
        give_back="it was not to be run here",
    ),
)

SLOTS = gauge("slots", "Messages that this worker may run at a time.", WORKER)
SLOTS_FREE = gauge("slots_free", "Slots in which nothing runs.", WORKER)
RUNNING = gauge("running", "Handlers that run in this worker.", WORKER)
UNSETTLED = gauge("unsettled", "Outcomes that Redis has not taken yet; each keeps its slot.", WORKER)
ABANDONED = gauge("abandoned", "Handlers that run on after their timeout, as a thread cannot be stopped.", WORKER)
PENDING_LIMIT_REACHED = gauge(
    "pending_limit_reached", "1 while this worker reads nothing new because of `work.max_pending_per_worker`.", WORKER
)
DELIVERED = counter(
    "delivered",
    "Messages that this worker received.",
    WORKER,
    source("new", "ready", "suspect"),
)
REDELIVERED = counter("redelivered", "Deliveries of messages that run here already; they start nothing.", WORKER)
DONE = counter("done", "Messages that are done.", WORKER)
RETRIED = counter(
    "retried",
    "Failed attempts that will be tried again.",
    WORKER,
    Label("class", f"the class of `retries.classes` that matched, or `{NO_CLASS}`"),
)
DEAD = counter(
    "dead",
    "Messages that became dead letters.",
    WORKER,
    Label(
        "reason",
        "the cause",
        meaning(
            failed="its last attempt failed",
            lost="its last worker was lost",
            unreadable="it cannot be read, or is not what the spec says",
            refused="its handler refused it for good",
        ),
    ),
)
GIVEN_BACK = counter(
    "given_back",
    "Messages that were given back and are not charged with an attempt.",
    WORKER,
    Label(
        "why",
        "the cause",
        meaning(
            unstarted="the drain began before it was started",
            drained="the end of the drain cut it off",
            found="it was owned, and not run, after an answer was lost",
            cancelled="it came again while its cancelled handler ended",
        ),
    ),
)
FENCED = counter("fenced", "Steps that changed nothing, as the message is another's by now.", WORKER, STEP)
GONE = counter("gone", "Steps that changed nothing, as the message is not pending any more.", WORKER, STEP)
TIMEOUTS = counter("timeouts", "Attempts that took longer than `work.timeout`.", WORKER)
HANDLING_SECONDS = histogram(
    "handling",
    "How long handlers ran.",
    WORKER,
    LONG,
    Label(
        "outcome",
        "how it ended",
        meaning(
            done="without an error",
            failed="with an error",
            timed_out="at `work.timeout`",
            crashed="with its process",
            cancelled="by a drain, or as the lease was lost",
        ),
    ),
)
WAITING_SECONDS = histogram(
    "waiting",
    "From when a message entered the stream until a worker first had it; the oldest of a read stands for all of it.",
    WORKER,
    LONG,
)
SETTLE_SECONDS = histogram("settle", "From the end of a handler until Redis took the outcome.", WORKER, QUICK)
CHILDREN = gauge("children", "Child processes that are there to run handlers.", WORKER)
CHILDREN_STARTED = counter("children_started", "Child processes that were started.", WORKER)
CHILDREN_CRASHED = counter(
    "children_crashed", "Child processes that ended by themselves or at their memory limit.", WORKER
)
LEASE_LOST = counter("lease_lost", "Leases that this worker lost; it cancelled what it ran.", WORKER)
LOOP_LAG_SECONDS = gauge("loop_lag_seconds", "The worst delay of the event loop in the last half minute.", WORKER)

TOPIC = Topic(
    "Working",
    "What a worker received, what it ran and what came of it.",
    (
        SLOTS,
        SLOTS_FREE,
        RUNNING,
        UNSETTLED,
        ABANDONED,
        PENDING_LIMIT_REACHED,
        DELIVERED,
        REDELIVERED,
        DONE,
        RETRIED,
        DEAD,
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
        LEASE_LOST,
        LOOP_LAG_SECONDS,
    ),
)
