"""A ScaledObject scales another workload.

Each pipeline's ScaledObject scales the pipeline's own Deployment. If a patch points it to another one, its own
Deployment has no scaler and the other one has two; KEDA refuses the second.

Remove the patch of `scaleTargetRef`. Write another spec for another workload.
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
        message = f"the scaler does not target its own Deployment, `{subject.spec.name}`"
        yield scaler.problem(
            message, "remove the patch", (*place, "name" if name != subject.spec.name else "kind"), place
        )
