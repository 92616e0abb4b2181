"""The metrics of a scheduler, exported by its pods.

Base units, counters end in `_total`, and labels have few values: `scheduler` on every metric, otherwise only values
that are listed here or in the spec. No label contains a job name, because there may be a hundred thousand jobs.
"""

from __future__ import annotations

from penstock_spec.kinds.scheduler.metrics import cleanup, process, running, settling, state, taking
from penstock_spec.kinds.scheduler.metrics.define import SCHEDULER
from penstock_spec.metrics import Contract

__all__ = ["CONTRACT", "METRICS", "TOPICS"]

TOPICS = tuple(module.TOPIC for module in (process, state, taking, running, settling, cleanup))
CONTRACT = Contract("Exported by a scheduler's pods.", SCHEDULER, TOPICS)
METRICS = CONTRACT.metrics()
"""All metrics by name."""
