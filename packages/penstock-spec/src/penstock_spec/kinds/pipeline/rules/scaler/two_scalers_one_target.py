"""A scaler is turned to another workload.

Each pipeline's ScaledObject scales its own Deployment. Turned to another, it leaves its own without a scaler, and the
other one with two that work against each other; KEDA refuses the second.

Leave `scaleTargetRef` as it is. Write another spec for another workload.
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
    scaler, place = effective(subject), ("spec", "scaleTargetRef")
    target = scaler.get(*place)
    name = target.get("name") if isinstance(target, dict) else None
    kind = target.get("kind", "Deployment") if isinstance(target, dict) else "Deployment"
    if name != subject.spec.name or kind != "Deployment":
        message = f"the scaler is turned away from its own Deployment `{subject.spec.name}`"
        yield scaler.problem(
            message, "take the patch out", (*place, "name" if name != subject.spec.name else "kind"), place
        )
