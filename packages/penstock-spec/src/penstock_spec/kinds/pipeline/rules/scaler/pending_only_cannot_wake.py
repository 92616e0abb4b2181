"""Pending entries alone cannot wake a pipeline from zero.

Pending are the messages that a worker has read and not finished. Without a worker nobody reads, so nothing becomes
pending, and with `minReplicaCount` at 0 the pipeline sleeps while its stream fills up.

Count what nobody has read as well: the lag, or the stream's length where finished messages are deleted. Or keep one
pod.
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
    counted = [one for one in scaler.counted if one.name not in ("parked", "oldest")]
    if counted and scaler.least == 0 and all(one.mode == "pending" for one in counted):
        message = f"{counted[0].called} counts what workers have read, and at zero pods there is no worker to read"
        hint = "add a trigger with `lagCount` and put it into the formula, or set `scaling.replicas.min` to 1"
        yield scaler.problem(message, hint, TRIGGERS, FORMULA, ("spec", "minReplicaCount"))
