"""Metrics of the cleanup: registrations, hanging jobs, jobs of lost pods."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import QUICK, Label, Topic, meaning

PASS = Label(
    "what", "kind of pass", meaning(refresh="registrations", zombies="hanging jobs", orphans="jobs of lost pods")
)

LEADER = gauge("leader", "1 if this pod is the leader, which makes jobs of lost pods due again.")
PASS_SECONDS = histogram("pass", "Duration of passes.", QUICK, PASS)
PASSES_CUT_OFF = counter("passes_cut_off", "Passes that reached their budget and continue next time.", PASS)
PASS_ERRORS = counter("pass_errors", "Failed passes.", PASS)
RECONCILED = counter(
    "reconciled",
    "Jobs that were registered or unregistered by a refresh.",
    Label("what", "change", meaning(registered="added", unregistered="removed")),
)
ORPHANS_RETURNED = counter("orphans_returned", "Jobs of lost pods that were made due again.")
ORPHANS_REMOVED = counter(
    "orphans_removed",
    "Invalid entries that were removed from the sets.",
    Label("why", "reason", meaning(unknown="its settings are unknown", numeric="its name consists of digits only")),
)

TOPIC = Topic(
    "Cleanup",
    "Registrations, hanging jobs and jobs of lost pods.",
    (LEADER, PASS_SECONDS, PASSES_CUT_OFF, PASS_ERRORS, RECONCILED, ORPHANS_RETURNED, ORPHANS_REMOVED),
)
