"""The Deployment sets `replicas` although it is autoscaled.

Each time the manifests are applied, `replicas` overwrites the number of pods that the autoscaler has chosen: it stops
busy pods or starts a pipeline that was at zero.

Remove `replicas` from the Deployment and set the bounds in `scaling.replicas`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import patched_values
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem, dotted
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for path, value in patched_values(subject.spec.patches, "Deployment", "spec", "replicas"):
        message = f"each rollout sets the number of pods to {printable(value)}, regardless of the autoscaler"
        hint = "remove the patch and set `scaling.replicas.min` and `scaling.replicas.max`"
        yield subject.problem(dotted(path), message, hint)
