"""Metrics of giving jobs back after a run."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import QUICK, Label, Topic, meaning

STEP = Label(
    "step", "step that the pod attempted", meaning(complete="the run ended", release="the job was not run here")
)
BREAKER = Label("breaker", "circuit breaker", meaning(acquisition="for taking jobs", completion="for giving jobs back"))

SETTLE_SECONDS = histogram("settle", "Time from the end of a run until its next due time is stored in Redis.", QUICK)
FENCED = counter("fenced", "Steps without effect, because another pod has the job now.", STEP)
GONE = counter("gone", "Steps without effect, because the job is in no set any more.", STEP)
RECOVERING = gauge("recovering", "Next due times that this pod has not been able to store in Redis yet.")
RECOVERIES = counter(
    "recoveries",
    "Retries to store next due times in Redis.",
    Label("success", "whether it succeeded", meaning(true="stored", false="failed again")),
)
RETRIES_EXHAUSTED = counter(
    "retries_exhausted", "Next due times that could not be stored in all attempts; the next refresh restores the job."
)
BREAKER_STATE = gauge("breaker_state", "State of the circuit breaker: 0 closed, 1 half-open, 2 open.", BREAKER)
BREAKER_TRIPS = counter("breaker_trips", "How often the circuit breaker has opened.", BREAKER)
BREAKER_BLOCKED = counter("breaker_blocked", "Calls that were not made because the circuit breaker was open.", BREAKER)
BREAKER_RECOVERIES = counter("breaker_recoveries", "How often the circuit breaker has closed again.", BREAKER)

TOPIC = Topic(
    "Giving jobs back",
    "Next due times of jobs after their runs, and failures to store them.",
    (
        SETTLE_SECONDS,
        FENCED,
        GONE,
        RECOVERING,
        RECOVERIES,
        RETRIES_EXHAUSTED,
        BREAKER_STATE,
        BREAKER_TRIPS,
        BREAKER_BLOCKED,
        BREAKER_RECOVERIES,
    ),
)
