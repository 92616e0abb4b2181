"""Busy pods are protected, but nothing scales down.

With `scaling.protect_busy: true` the janitor writes pod deletion costs, so that Kubernetes stops idle pods first when
it scales down. If `scaling.replicas.min` equals `scaling.replicas.max` nothing scales down, and the janitor gets the
permission to patch pods without a need.

Remove it, or give the pipeline room to scale.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import has_no_effect
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaling = subject.spec.scaling
    if scaling.protect_busy and has_no_effect(subject, "scaling.protect_busy", _fixed):
        at = subject.line("scaling.replicas.max")
        message = f"the number of pods is always {scaling.replicas.max} ({at}): `min` and `max` are equal"
        yield subject.problem("scaling.protect_busy", message, "remove it, or raise `scaling.replicas.max`")


def _fixed(spec: Pipeline) -> bool:
    return spec.scaling.replicas.min == spec.scaling.replicas.max
