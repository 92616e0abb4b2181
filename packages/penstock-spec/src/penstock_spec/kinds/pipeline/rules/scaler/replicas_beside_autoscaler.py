"""The Deployment says a number of pods beside the autoscaler.

Each time the manifests are applied, `replicas` sets the pods to its number, whatever the autoscaler had chosen: busy
pods are taken away, or a sleeping pipeline is started.

Leave `replicas` out of the Deployment, and say the bounds in `scaling.replicas`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import put_into
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found, dotted
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    for path, value in put_into(subject.spec.patches, "Deployment", "spec", "replicas"):
        message = f"each time it is applied, the pods are set to {shown(value)}, against the autoscaler"
        hint = "take the patch out, and set `scaling.replicas.min` and `scaling.replicas.max`"
        yield subject.problem(dotted(path), message, hint)
