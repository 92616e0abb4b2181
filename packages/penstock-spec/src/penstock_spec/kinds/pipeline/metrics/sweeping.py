"""What others left behind: workers and the janitor both look after it."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import SWEEPERS, counter, source
from penstock_spec.metrics import Label, Topic, meaning

TAKEN_OVER = counter("taken_over", "Messages taken over from workers whose lease was over.", SWEEPERS)
PROMOTED = counter(
    "promoted",
    "Messages that were due: for their retry, or for the stream.",
    SWEEPERS,
    source("parked", "delayed"),
)
LOST = counter(
    "lost",
    "Unfinished messages that nobody can work on any more, through no step of ours.",
    SWEEPERS,
    Label(
        "how",
        "what happened to it",
        meaning(
            deleted="somebody deleted it while it was pending",
            trimmed="somebody trimmed it before it was read",
        ),
    ),
)
GROUP_RECREATED = counter("group_recreated", "How often the group was gone and was made again.", SWEEPERS)

TOPIC = Topic(
    "What others left behind",
    "Workers and the janitor both look after it; sum over both.",
    (TAKEN_OVER, PROMOTED, LOST, GROUP_RECREATED),
)
