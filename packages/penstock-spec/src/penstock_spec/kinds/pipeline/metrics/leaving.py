"""How a worker goes."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import WORKER, gauge
from penstock_spec.metrics import Label, Topic, meaning

DRAINING = gauge("draining", "1 from the signal to the end.", WORKER)
DRAIN_SECONDS = gauge("drain_seconds", "How long the drain has gone on.", WORKER)
DRAIN_PHASE_SECONDS = gauge(
    "drain_phase_seconds",
    "How long each phase of the drain has gone on.",
    WORKER,
    Label(
        "phase",
        "which one",
        meaning(
            stop="stop reading",
            finish="finish what runs, give back what does not",
            close="deregister and close",
        ),
    ),
)

TOPIC = Topic(
    "Leaving",
    "How a worker goes. What a pod told last is what it was doing when it was killed.",
    (DRAINING, DRAIN_SECONDS, DRAIN_PHASE_SECONDS),
)
