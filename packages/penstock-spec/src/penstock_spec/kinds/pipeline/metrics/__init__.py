"""The metrics of a pipeline: exported by its workers, the janitor and its producers.

Base units, counters end in `_total`, and labels have few values: `pipeline` on every metric, otherwise only values that
are listed here or in the spec. Labels that Prometheus adds (environment, namespace, pod) are not defined here.
"""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics import janitor, maintenance, process, sending, shutdown, stream, working
from penstock_spec.kinds.pipeline.metrics.define import PIPELINE
from penstock_spec.metrics import Contract

__all__ = ["CONTRACT", "METRICS", "TOPICS"]

TOPICS = tuple(module.TOPIC for module in (process, stream, sending, working, maintenance, janitor, shutdown))
CONTRACT = Contract("Exported by a pipeline's workers, the janitor and its producers.", PIPELINE, TOPICS)
METRICS = CONTRACT.metrics()
"""All metrics by name."""
