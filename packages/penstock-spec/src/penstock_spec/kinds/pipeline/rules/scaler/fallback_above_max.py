"""The fallback holds more pods than the maximum.

The HPA never goes beyond `maxReplicaCount`, so the fallback means the maximum and not what it says.

Write at most `scaling.replicas.max`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.WARNING)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """The fallback lies within the bounds."""
    scaler = effective(it)
    held, most = scaler.whole("spec", "fallback", "replicas"), scaler.whole("spec", "maxReplicaCount")
    if held is not None and most is not None and held > most:
        says = f"there are never more than {most} pods ({it.line('scaling.replicas.max')})"
        yield scaler.problem(
            says, f"write {most} or less", ("spec", "fallback", "replicas"), ("spec", "maxReplicaCount")
        )
