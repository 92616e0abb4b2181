"""What was tidied: registrations, jobs that hang, jobs of pods that are gone."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import QUICK, Label, Topic, meaning

PASS = Label(
    "what", "which one", meaning(refresh="of registrations", zombies="of jobs that hang", orphans="of lost pods")
)

LEADER = gauge("leader", "1 where this pod leads, and looks after the jobs of lost ones.")
PASS_SECONDS = histogram("pass", "How long one pass took.", QUICK, PASS)
PASSES_CUT_OFF = counter("passes_cut_off", "Passes that ended at their budget and go on next time.", PASS)
PASS_ERRORS = counter("pass_errors", "Passes that failed.", PASS)
RECONCILED = counter(
    "reconciled",
    "Jobs that a refresh changed.",
    Label("what", "how", meaning(registered="added", unregistered="taken out")),
)
ORPHANS_RETURNED = counter("orphans_returned", "Jobs of lost pods that are due again.")
ORPHANS_REMOVED = counter(
    "orphans_removed",
    "Entries that were removed.",
    Label("why", "the cause", meaning(unknown="nothing is known of the job", numeric="its name is digits alone")),
)

TOPIC = Topic(
    "Tidying",
    "What was put right beside the work.",
    (LEADER, PASS_SECONDS, PASSES_CUT_OFF, PASS_ERRORS, RECONCILED, ORPHANS_RETURNED, ORPHANS_REMOVED),
)
