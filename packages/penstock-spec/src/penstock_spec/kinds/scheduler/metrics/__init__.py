"""The metrics of a scheduler: what its pods tell.

Base units, counters in `_total`, and few labels: `scheduler` everywhere, and else only words that are listed here or in
the spec. No label carries a job, for there may be a hundred thousand of them.
"""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics import process, running, settling, state, taking, tidying
from penstock_spec.kinds.scheduler.metrics.define import SCHEDULER
from penstock_spec.metrics import Contract

__all__ = ["CONTRACT", "METRICS", "TOPICS"]

TOPICS = tuple(module.TOPIC for module in (process, state, taking, running, settling, tidying))
CONTRACT = Contract("What a scheduler's pods tell.", SCHEDULER, TOPICS)
METRICS = CONTRACT.metrics()
"""Every metric by its name."""
