"""Metrics of every process: its version and its connection to Redis."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import ALL_ROLES, NAMES
from penstock_spec.metrics import ProcessMetrics, Topic

_common = ProcessMetrics.of(
    NAMES, ALL_ROLES, worker="runs messages", janitor="maintains pipelines", producer="sends messages"
)
INFO = _common.info
REDIS_SECONDS = _common.redis_seconds
REDIS_ERRORS = _common.redis_errors
REDIS_CONNECTIONS = _common.redis_connections
REDIS_CONNECTS = _common.redis_connects

TOPIC = Topic(
    "Every process",
    "The version that runs, and its connection to Redis.",
    (INFO, REDIS_SECONDS, REDIS_ERRORS, REDIS_CONNECTIONS, REDIS_CONNECTS),
)
