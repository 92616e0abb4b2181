"""The scaling boost has no effect.

`scaling.boost` multiplies the backlog that the scaler sees while messages have waited too long. A factor of 1 changes
nothing, and if `scaling.replicas.min` equals `scaling.replicas.max`, the number of pods cannot change.

Remove the boost, or give it a factor above 1 and room to scale.
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
    if scaling.boost is None:
        return
    if scaling.boost.factor == 1:
        yield subject.problem(
            "scaling.boost.factor",
            "a factor of 1 does not change the backlog",
            "remove the boost, or set the factor to `2`",
        )
    elif has_no_effect(subject, "scaling.boost", _fixed):
        at = subject.line("scaling.replicas.max")
        message = f"the number of pods is always {scaling.replicas.max} ({at}): `min` and `max` are equal"
        yield subject.problem("scaling.boost", message, "remove the boost, or raise `scaling.replicas.max`")


def _fixed(spec: Pipeline) -> bool:
    return spec.scaling.replicas.min == spec.scaling.replicas.max
