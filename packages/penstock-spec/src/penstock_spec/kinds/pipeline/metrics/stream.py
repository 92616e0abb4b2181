"""Metrics of the stream and its consumer group, measured by the janitor."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import measured
from penstock_spec.metrics import Topic

STREAM_LENGTH = measured("stream_length", "Entries in the stream.")
NEW = measured("new", "Messages in the stream that the group has not read.")
LAG = measured("lag", "Lag of the group as reported by Redis; NaN while Redis cannot compute it.")
PENDING = measured("pending", "Messages that were read and are neither done nor dead: held, parked, ready or suspect.")
HELD = measured("held", "Pending messages that are assigned to consumers.")
PARKED = measured("parked", "Pending messages that are waiting for the due time of their retry.")
READY = measured("ready", "Pending messages that are due again or were given back, and are waiting for a worker.")
SUSPECT = measured("suspect", "Pending messages whose worker was lost, and that are waiting to run isolated.")
DELAYED = measured("delayed", "Delayed messages, which enter the stream at their due time.")
DEAD_LETTERS = measured("dead_letters", "Entries in the dead letter stream.")
GROUPS = measured("groups", "Consumer groups that read the stream, this pipeline's included.")
FINISHED = measured(
    "finished", "Finished messages that stay in the stream, because another group reads it. They are no backlog."
)
CUT_OFF = measured(
    "cut_off",
    "Messages cut off by the end of a drain since the group was created. Workers count them too before they exit.",
)
OLDEST_SECONDS = measured(
    "oldest_seconds", "Age of the oldest message that could be worked on now: new, ready or suspect."
)
CONSUMERS = measured("consumers", "Consumers in the group, without those that represent states.")
OLDEST_LEASE_SECONDS = measured(
    "oldest_lease_seconds", "Time since the last lease renewal of the living consumer that renewed longest ago."
)
FOREIGN_CONSUMERS = measured("foreign_consumers", "Consumers in the group that no Penstock worker registered.")
FOREIGN_IDLE_SECONDS = measured("foreign_idle_seconds", "Longest idle time of a foreign consumer.")

TOPIC = Topic(
    "The stream and its group",
    "Measured in Redis by the leading janitor, so that they are known while no worker runs. A standby exports NaN.",
    (
        STREAM_LENGTH,
        NEW,
        LAG,
        PENDING,
        HELD,
        PARKED,
        READY,
        SUSPECT,
        DELAYED,
        DEAD_LETTERS,
        GROUPS,
        FINISHED,
        CUT_OFF,
        OLDEST_SECONDS,
        CONSUMERS,
        OLDEST_LEASE_SECONDS,
        FOREIGN_CONSUMERS,
        FOREIGN_IDLE_SECONDS,
    ),
)
