"""What is where in the stream and its group, as the janitor measures it."""

from __future__ import annotations

from penstock_spec.kinds.pipeline.metrics.define import measured
from penstock_spec.metrics import Topic

STREAM_LENGTH = measured("stream_length", "Entries in the stream.")
NEW = measured("new", "Messages in the stream that nobody in the group has read.")
LAG = measured("lag", "What Redis itself calls the lag of the group; not known while Redis does not know it.")
PENDING = measured("pending", "Messages that were read and are neither done nor dead: held, parked, ready or suspect.")
HELD = measured("held", "Pending messages that consumers hold, as Redis has it.")
PARKED = measured("parked", "Pending messages that wait for the due time of their retry.")
READY = measured("ready", "Pending messages that are due again or were given back, and wait for a worker.")
SUSPECT = measured("suspect", "Pending messages whose worker was lost, and that wait to be run apart.")
DELAYED = measured("delayed", "Messages that are not in the stream before their due time.")
DEAD_LETTERS = measured("dead_letters", "Entries in the dead-letter stream.")
CUT_OFF = measured(
    "cut_off",
    "Messages that ends of drains cut off since the group was made. Workers count them as well, in their last seconds.",
)
OLDEST_SECONDS = measured(
    "oldest_seconds", "How long the oldest message has waited that could be worked on now: new, ready or suspect."
)
CONSUMERS = measured("consumers", "Consumers in the group, without those that stand for states.")
OLDEST_LEASE_SECONDS = measured(
    "oldest_lease_seconds", "How long ago the living consumer that said nothing for longest renewed its lease."
)
FOREIGN_CONSUMERS = measured("foreign_consumers", "Consumers in the group that workers of another make registered.")
FOREIGN_IDLE_SECONDS = measured("foreign_idle_seconds", "The longest that a foreign consumer has been idle.")

TOPIC = Topic(
    "The stream and its group",
    "What is where, measured in Redis by the janitor, so that it is known while no worker runs. A janitor that "
    "does not lead tells NaN.",
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
        CUT_OFF,
        OLDEST_SECONDS,
        CONSUMERS,
        OLDEST_LEASE_SECONDS,
        FOREIGN_CONSUMERS,
        FOREIGN_IDLE_SECONDS,
    ),
)
