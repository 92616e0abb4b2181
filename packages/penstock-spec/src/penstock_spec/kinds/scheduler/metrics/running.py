"""What ran, and what came of it."""

from __future__ import annotations

from penstock_spec.failures.classes import NO_CLASS
from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import LONG, Label, Topic, meaning

OUTCOME = Label(
    "outcome",
    "how it ended",
    meaning(
        ok="without an error",
        failed="with an error",
        cancelled="told to stop: it overran its time, or the pod leaves",
        abandoned="told to stop, and left running as it did not",
        lost="another pod has it by now",
    ),
)

RUNNING = gauge("running", "Jobs that this pod runs.")
RUNS = counter(
    "runs",
    "Runs that ended, by how.",
    OUTCOME,
    Label("class", f"the class of `failures.classes` that matched, or `{NO_CLASS}`"),
)
RUN_SECONDS = histogram("run", "How long a run took.", LONG, OUTCOME)
MISSED = counter(
    "missed",
    "Runs of cron jobs that were due while nobody ran them.",
    Label("what", "what became of them", meaning(made_up="run later", skipped="left out")),
)
ZOMBIES_CANCELLED = counter(
    "zombies_cancelled",
    "Jobs that were told to stop, as their deadline was long over.",
    Label("by", "who saw it", meaning(timer="the job's own timer", scan="the scan beside it")),
)
ABANDONED = counter("abandoned", "Jobs that ignored that, and whose permit was returned while they run on.")
ABANDONED_RUNNING = gauge("abandoned_running", "Of these, those that still run.")

TOPIC = Topic(
    "Running",
    "What ran, and what came of it.",
    (RUNNING, RUNS, RUN_SECONDS, MISSED, ZOMBIES_CANCELLED, ABANDONED, ABANDONED_RUNNING),
)
