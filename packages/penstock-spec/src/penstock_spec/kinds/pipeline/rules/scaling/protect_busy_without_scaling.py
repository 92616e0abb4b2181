"""Busy pods are protected from a scaling that never happens.

`scaling.protect_busy: true` lets the janitor write pod-deletion costs, so that idle pods go first when the number of
pods shrinks. Where `scaling.replicas.min` equals `scaling.replicas.max` it never shrinks, and the janitor gets a
right to patch pods for nothing.

Take it out, or give the pipeline room to scale.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import in_vain
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaling = subject.spec.scaling
    if scaling.protect_busy and in_vain(subject, "scaling.protect_busy", _fixed):
        at = subject.line("scaling.replicas.max")
        message = f"there are always {scaling.replicas.max} pods ({at}): `min` and `max` are the same"
        yield subject.problem("scaling.protect_busy", message, "take it out, or raise `scaling.replicas.max`")


def _fixed(spec: Pipeline) -> bool:
    return spec.scaling.replicas.min == spec.scaling.replicas.max
