"""A pipeline is removed while messages may lie in its stream.

Its workers, its scaler and its alerts go with the next rollout, and the janitor looks after it no more. What waits in
the stream, is parked, delayed or dead stays in Redis and is worked on by nobody; producers that are still there fill it
up. A spec that gets another name is removed too, and a new one added.

Stop the senders, let it run empty (`penstock status`), look at its dead letters, and only then remove the spec. Then
say so in the platform file, under `acknowledge`, with the change `remove-pipeline`, its name, and the last day on which
it counts.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported_change

RULE = reported_change(__name__, Severity.ERROR, "remove-pipeline")
