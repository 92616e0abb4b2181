"""Pending entries alone cannot wake a pipeline from zero.

Pending messages are those that a worker has read and not finished. Without a worker nothing is read, so nothing
becomes pending, and with `minReplicaCount` 0 the pipeline never wakes while its stream fills up.

Count unread messages as well: the lag, or the stream's length if finished messages are deleted. Or keep one pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, TRIGGERS, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    counted = [trigger for trigger in scaler.counted_triggers if trigger.name not in ("parked", "finished", "oldest")]
    if counted and scaler.min_replicas == 0 and all(trigger.mode == "pending" for trigger in counted):
        message = f"{counted[0].label} counts messages that workers have read, but at zero pods no worker reads"
        hint = "add a trigger with `lagCount` to the formula, or set `scaling.replicas.min` to 1"
        yield scaler.problem(message, hint, TRIGGERS, FORMULA, ("spec", "minReplicaCount"))
