"""What every process tells: what runs, and how it gets on with Redis."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import EVERYONE, QUICK, counter, gauge, histogram
from penstock_spec.metrics import Label, Topic, meaning

INFO = gauge(
    "info",
    "Always 1; its labels say what runs.",
    EVERYONE,
    Label("role", "who tells it", meaning(worker="runs messages", janitor="tidies", producer="sends")),
    Label("version", "Penstock's version"),
    Label("digest", "the digest of the resolved spec"),
)
REDIS_SECONDS = histogram(
    "redis", "How long Redis took to answer, without the wait of blocking reads.", EVERYONE, QUICK
)
REDIS_ERRORS = counter(
    "redis_errors",
    "Calls to Redis that failed.",
    EVERYONE,
    Label(
        "kind",
        "how",
        meaning(
            absent="there was no connection, and nothing was sent",
            unanswered="no answer came, so that it may have happened",
            refused="Redis answered with an error",
        ),
    ),
)
REDIS_CONNECTIONS = gauge("redis_connections", "Connections to Redis that are open.", EVERYONE)
REDIS_CONNECTS = counter("redis_connects", "Connections to Redis that were made.", EVERYONE)

TOPIC = Topic(
    "Every process",
    "What runs, and how it gets on with Redis.",
    (INFO, REDIS_SECONDS, REDIS_ERRORS, REDIS_CONNECTIONS, REDIS_CONNECTS),
)
