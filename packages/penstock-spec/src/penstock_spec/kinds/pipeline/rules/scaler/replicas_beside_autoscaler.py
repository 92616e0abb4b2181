"""The Deployment says a number of pods beside the autoscaler.

Each time the manifests are applied, `replicas` sets the pods to its number, whatever the autoscaler had chosen: busy
pods are taken away, or a sleeping pipeline is started.

Leave `replicas` out of the Deployment, and say the bounds in `scaling.replicas`.
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
        message = f"each time it is applied, the pods are set to {printable(value)}, against the autoscaler"
        hint = "take the patch out, and set `scaling.replicas.min` and `scaling.replicas.max`"
        yield subject.problem(dotted(path), message, hint)
