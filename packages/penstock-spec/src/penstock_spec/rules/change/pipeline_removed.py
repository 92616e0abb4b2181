"""A pipeline is removed while its stream may hold messages.

The next rollout deletes its workers, its scaler and its alerts, and the janitor stops maintaining it. Messages that
wait in the stream, are parked or delayed, and dead letters stay in Redis, and nothing processes them; producers that
still run fill the stream. Renaming a spec removes it too, and adds a new one.

Stop the producers, let the pipeline drain (`penstock status`), handle its dead letters, and only then remove the spec.
Acknowledge the change in the platform file: under `acknowledge`, write `change: remove-pipeline`, the pipeline's name,
a reason and an end date.
"""

from __future__ import annotations

from penstock_spec.findings import Severity
from penstock_spec.rules.define import reported_change

RULE = reported_change(__name__, Severity.ERROR, "remove-pipeline")
