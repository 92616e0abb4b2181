"""Metrics of the graceful shutdown of workers."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import WORKER, gauge
from penstock_spec.metrics import Label, Topic, meaning

DRAINING = gauge("draining", "1 while the worker drains, from SIGTERM to its exit.", WORKER)
DRAIN_SECONDS = gauge("drain_seconds", "Duration of the drain so far.", WORKER)
DRAIN_PHASE_SECONDS = gauge(
    "drain_phase_seconds",
    "Duration of each phase of the drain so far.",
    WORKER,
    Label(
        "phase",
        "phase of the drain",
        meaning(
            stop="stop reading",
            finish="finish running messages, give back the others",
            close="deregister and close connections",
        ),
    ),
)

TOPIC = Topic(
    "Shutdown",
    "The drain of a worker. The last values of a killed pod show what it was doing.",
    (DRAINING, DRAIN_SECONDS, DRAIN_PHASE_SECONDS),
)
