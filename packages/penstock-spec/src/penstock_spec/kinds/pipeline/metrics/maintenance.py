"""Metrics of maintenance, which workers and the janitor share."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import MAINTAINERS, counter, source
from penstock_spec.metrics import Label, Topic, meaning

TAKEN_OVER = counter("taken_over", "Messages taken over from workers whose lease had expired.", MAINTAINERS)
PROMOTED = counter(
    "promoted",
    "Messages promoted at their due time: parked ones to ready, delayed ones into the stream.",
    MAINTAINERS,
    source("parked", "delayed"),
)
LOST = counter(
    "lost",
    "Unfinished messages that were lost because something outside Penstock removed them.",
    MAINTAINERS,
    Label(
        "how",
        "how it was lost",
        meaning(
            deleted="deleted while it was pending",
            trimmed="trimmed before it was read",
        ),
    ),
)
GROUP_RECREATED = counter(
    "group_recreated", "How often the consumer group was missing and was created again.", MAINTAINERS
)

TOPIC = Topic(
    "Maintenance",
    "Workers and the janitor share this work, so sum over both.",
    (TAKEN_OVER, PROMOTED, LOST, GROUP_RECREATED),
)
