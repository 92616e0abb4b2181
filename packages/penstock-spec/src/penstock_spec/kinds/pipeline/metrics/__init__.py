"""The metrics of a pipeline: what its workers, its janitor and its producers tell.

Base units, counters in `_total`, and few labels: `pipeline` everywhere, and else only words that are listed here or in
the spec. What Prometheus adds by itself (environment, namespace, pod) is no label here.
"""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics import leaving, process, sending, stream, sweeping, tidying, working
from penstock_spec.kinds.pipeline.metrics.define import PIPELINE
from penstock_spec.metrics import Contract

__all__ = ["CONTRACT", "METRICS", "TOPICS"]

TOPICS = tuple(module.TOPIC for module in (process, stream, sending, working, sweeping, tidying, leaving))
CONTRACT = Contract("What a pipeline's workers, its janitor and its producers tell.", PIPELINE, TOPICS)
METRICS = CONTRACT.metrics()
"""Every metric by its name."""
