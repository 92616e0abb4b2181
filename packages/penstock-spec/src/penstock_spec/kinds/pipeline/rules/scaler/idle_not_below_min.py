"""The idle count is not below the minimum.

`idleReplicaCount` is what remains when nothing is to do, and `minReplicaCount` what there is as soon as something is.
KEDA refuses an idle count that is not below the minimum.

Leave `idleReplicaCount` out, or set `scaling.replicas.min` above it. KEDA takes 0 alone as idle count.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    idle = scaler.whole("spec", "idleReplicaCount")
    if idle is not None and idle >= scaler.least:
        message = (
            f"{idle} idle pods are not below the minimum of {scaler.least} ({subject.line('scaling.replicas.min')})"
        )
        hint = "take it out" if idle == 0 else "take it out, or write 0 and a minimum of at least 1"
        yield scaler.problem(message, hint, ("spec", "idleReplicaCount"), ("spec", "minReplicaCount"))
