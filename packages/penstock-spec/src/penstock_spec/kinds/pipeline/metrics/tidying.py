"""What the janitor did."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import JANITOR, QUICK, counter, gauge, histogram, measured
from penstock_spec.metrics import Label, Topic, meaning

JANITOR_LEADER = gauge("janitor_leader", "1 where this janitor leads, and does the work.", JANITOR)
JANITOR_PASS_SECONDS = histogram("janitor_pass", "How long one pass over the pipeline took.", JANITOR, QUICK)
JANITOR_LAST_PASS = gauge(
    "janitor_last_pass_timestamp_seconds", "When the last pass ended without an error; 0 before the first.", JANITOR
)
JANITOR_ERRORS = counter(
    "janitor_errors",
    "Tasks of a pass that failed.",
    JANITOR,
    Label(
        "task",
        "what failed",
        meaning(
            lead="asking who leads",
            promote="promoting what is due",
            take_over="taking over from the lost",
            reconcile="comparing with the pending list",
            trim="trimming",
            ghosts="removing ghosts",
            measure="measuring",
            protect="setting pod-deletion costs",
        ),
    ),
)
RECONCILED = counter(
    "reconciled",
    "Differences between the pending list, which is the truth, and what stands beside it, put right.",
    JANITOR,
    Label(
        "what",
        "what was different",
        meaning(
            parked_without_due="parked without a due time: due now",
            due_without_parked="a due time for what is not parked: dropped",
            pending_nowhere="read, unfinished and pending nowhere: brought back",
            finished_elsewhere="the same, finished by workers of another make: deleted",
            finished_beside="finished while another group read the stream, which is gone: deleted",
            delayed_without_due="a delayed body without a due time: due now",
            due_without_body="a due time without a body: dropped",
            uncharged_without_pending="an account of attempts for what is not pending: dropped",
            consumer_without_lease="a consumer of ours without a lease: taken for lost",
        ),
    ),
)
GHOSTS = measured("ghosts", "Consumers whose process is gone and that were not removed yet.")
GHOSTS_REMOVED = counter("ghosts_removed", "Ghosts that were removed, empty.", JANITOR)
TRIMMED = counter("trimmed", "Finished entries that were trimmed, as the retention says.", JANITOR)
TRIM_HELD_BACK = measured(
    "trim_held_back",
    "Entries beyond the retention that stay, as a group has not finished them.",
    Label("group", "the group that holds them back"),
)
DEAD_EXPIRED = counter("dead_expired", "Dead letters that were older than `dead_letter.keep`.", JANITOR)

TOPIC = Topic(
    "Tidying",
    "What the janitor did.",
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
