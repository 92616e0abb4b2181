"""Metrics of runs and their outcomes."""

from __future__ import annotations

from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import LONG, Label, Topic, meaning

OUTCOME = Label(
    "outcome",
    "outcome of the run",
    meaning(
        ok="ended without an error",
        failed="ended with an error",
        cancelled="cancelled, because it overran or its pod stopped",
        abandoned="ignored its cancellation and was abandoned",
        lost="another pod has taken the job",
    ),
)

RUNNING = gauge("running", "Jobs that are running in this pod.")
RUNS = counter(
    "runs",
    "Runs that ended, by outcome.",
    OUTCOME,
    Label("class", f"failure class in `failures.classes`, or `{NO_CLASS}`"),
)
RUN_SECONDS = histogram("run", "Duration of runs.", LONG, OUTCOME)
MISSED = counter(
    "missed",
    "Missed runs of cron jobs, by how they were handled.",
    Label("what", "how they were handled", meaning(made_up="run later", skipped="skipped")),
)
OVERLAPS = counter(
    "overlaps",
    "Runs that came due while the previous run of their job had not ended, by how `overlap` handled them.",
    Label(
        "what",
        "how they were handled",
        meaning(skipped="dropped", waited="run right after", replaced="run after the previous run was cancelled"),
    ),
)
ZOMBIES_CANCELLED = counter(
    "zombies_cancelled",
    "Zombies, jobs long past their deadline, that were cancelled.",
    Label("by", "how it was found", meaning(timer="by the job's own timer", scan="by the periodic scan")),
)
ABANDONED = counter(
    "abandoned",
    "Runs that ignored their cancellation; their permit was returned, but they keep their job while they run.",
)
ABANDONED_RUNNING = gauge(
    "abandoned_running", "Abandoned runs that have not ended; each keeps its job, which does not run again."
)

TOPIC = Topic(
    "Running",
    "Runs and their outcomes.",
    (RUNNING, RUNS, RUN_SECONDS, MISSED, OVERLAPS, ZOMBIES_CANCELLED, ABANDONED, ABANDONED_RUNNING),
)
