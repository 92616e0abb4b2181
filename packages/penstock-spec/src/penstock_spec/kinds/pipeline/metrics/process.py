"""What every process tells: what runs, and how it gets on with Redis."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import EVERYONE, NAMES
from penstock_spec.metrics import EveryProcess, Topic

_told = EveryProcess.of(NAMES, EVERYONE, worker="runs messages", janitor="tidies", producer="sends")
INFO = _told.info
REDIS_SECONDS = _told.redis_seconds
REDIS_ERRORS = _told.redis_errors
REDIS_CONNECTIONS = _told.redis_connections
REDIS_CONNECTS = _told.redis_connects

TOPIC = Topic(
    "Every process",
    "What runs, and how it gets on with Redis.",
    (INFO, REDIS_SECONDS, REDIS_ERRORS, REDIS_CONNECTIONS, REDIS_CONNECTS),
)
