"""What a pod handed back, and what stood in the way."""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics.define import counter, gauge, histogram
from penstock_spec.metrics import QUICK, Label, Topic, meaning

STEP = Label("step", "what the pod wanted", meaning(complete="the run ended", release="it was not run here"))
BREAKER = Label("breaker", "which one", meaning(acquisition="that of taking", completion="that of handing back"))

SETTLE_SECONDS = histogram("settle", "From the end of a run until Redis knew when the next is due.", QUICK)
FENCED = counter("fenced", "Steps that changed nothing, as the run is another's by now.", STEP)
GONE = counter("gone", "Steps that changed nothing, as the job is in no set any more.", STEP)
RECOVERING = gauge("recovering", "Next runs that Redis has not taken yet, held by this pod.")
RECOVERIES = counter(
    "recoveries",
    "Tries to hand back what Redis had not taken.",
    Label("success", "whether it took it then", meaning(true="it did", false="it did not")),
)
RETRIES_EXHAUSTED = counter(
    "retries_exhausted", "Next runs that Redis did not take in all tries, left to the next refresh."
)
BREAKER_STATE = gauge("breaker_state", "0 while it is closed, 1 while half open, 2 while open.", BREAKER)
BREAKER_TRIPS = counter("breaker_trips", "How often it opened.", BREAKER)
BREAKER_BLOCKED = counter("breaker_blocked", "Calls that were not made, as it was open.", BREAKER)
BREAKER_RECOVERIES = counter("breaker_recoveries", "How often it closed again.", BREAKER)

TOPIC = Topic(
    "Handing back",
    "What a pod handed back, and what stood in the way.",
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
