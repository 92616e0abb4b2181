"""The idle replica count is not below the minimum.

`idleReplicaCount` is the number of pods without work, and `minReplicaCount` the minimum as soon as there is work. KEDA
refuses an idle count that is not below the minimum.

Remove `idleReplicaCount`, or raise `scaling.replicas.min` above it. KEDA accepts only 0 as idle count.
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
    idle = scaler.integer("spec", "idleReplicaCount")
    if idle is not None and idle >= scaler.min_replicas:
        line = subject.line("scaling.replicas.min")
        message = f"an idle count of {idle} is not below the minimum of {scaler.min_replicas} ({line})"
        hint = "remove it" if idle == 0 else "remove it, or set it to 0 and the minimum to at least 1"
        yield scaler.problem(message, hint, ("spec", "idleReplicaCount"), ("spec", "minReplicaCount"))
