"""Metrics of the janitor."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import JANITOR, QUICK, counter, gauge, histogram, measured
from penstock_spec.metrics import Label, Topic, meaning

JANITOR_LEADER = gauge("janitor_leader", "1 if this janitor is the leader, which does the work.", JANITOR)
JANITOR_PASS_SECONDS = histogram("janitor_pass", "Duration of a pass over the pipeline.", JANITOR, QUICK)
JANITOR_LAST_PASS = gauge(
    "janitor_last_pass_timestamp_seconds", "Time of the last successful pass; 0 before the first.", JANITOR
)
JANITOR_ERRORS = counter(
    "janitor_errors",
    "Failed tasks of passes.",
    JANITOR,
    Label(
        "task",
        "failed task",
        meaning(
            lead="electing the leader",
            promote="promoting due messages",
            take_over="taking over from lost workers",
            reconcile="comparing the side keys with the pending list",
            trim="trimming",
            ghosts="removing ghosts",
            measure="measuring",
            protect="setting pod deletion costs",
        ),
    ),
)
RECONCILED = counter(
    "reconciled",
    "Repaired differences between the pending list, which is the truth, and the side keys.",
    JANITOR,
    Label(
        "what",
        "difference and its repair",
        meaning(
            parked_without_due="parked without a due time: made due now",
            due_without_parked="due time without a parked message: removed",
            pending_nowhere="read and unfinished, but not pending: made pending again",
            finished_elsewhere="not pending, finished by foreign workers: deleted",
            finished_beside="finished, kept for another group that no longer exists: deleted",
            delayed_without_due="delayed body without a due time: made due now",
            due_without_body="due time without a body: removed",
            uncharged_without_pending="attempt count of a message that is not pending: removed",
            consumer_without_lease="Penstock consumer without a lease: treated as lost",
        ),
    ),
)
GHOSTS = measured("ghosts", "Foreign consumers whose process is gone and that are not removed yet.")
GHOSTS_REMOVED = counter("ghosts_removed", "Ghosts that were removed.", JANITOR)
TRIMMED = counter("trimmed", "Finished entries that were trimmed after their retention.", JANITOR)
TRIM_HELD_BACK = measured(
    "trim_held_back",
    "Entries beyond the retention that are kept because a group has not finished them.",
    Label("group", "group that has not finished them"),
)
DEAD_EXPIRED = counter("dead_expired", "Dead letters that were deleted after `dead_letter.keep`.", JANITOR)

TOPIC = Topic(
    "Janitor",
    "The work of the janitor.",
    (
        JANITOR_LEADER,
        JANITOR_PASS_SECONDS,
        JANITOR_LAST_PASS,
        JANITOR_ERRORS,
        RECONCILED,
        GHOSTS,
        GHOSTS_REMOVED,
        TRIMMED,
        TRIM_HELD_BACK,
        DEAD_EXPIRED,
    ),
)
