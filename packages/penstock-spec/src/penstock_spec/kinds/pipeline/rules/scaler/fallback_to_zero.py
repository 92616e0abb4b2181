"""The fallback to zero stops all pods on a Redis error.

With `minReplicaCount` 0 and a fallback to 0, KEDA treats a signal that it cannot read like an empty stream: after the
cooldown it stops the last pods in the middle of their work, and starts none while the error lasts.

Set the fallback to at least one pod, or remove it: the default is `scaling.replicas.min` pods, but at least one.
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
    if scaler.min_replicas == 0 and scaler.integer("spec", "fallback", "replicas") == 0:
        message = "while Redis answers with errors, all pods are stopped in the middle of their work"
        yield scaler.problem(message, "set the fallback to at least `1`", ("spec", "fallback", "replicas"))
