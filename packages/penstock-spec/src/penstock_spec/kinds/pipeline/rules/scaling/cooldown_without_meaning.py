"""A cooldown has no effect if nothing scales to zero.

KEDA's cooldown delays only the step from the last pods to zero. With `scaling.replicas.min` above 0 this step does not
exist. All other scale-downs are done by the HPA, which ignores the cooldown.

To keep pods through a short lull, set `scaling.scale_down.window`; to remove them slowly, set
`scaling.scale_down.at_most`.
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
    if has_no_effect(subject, "scaling.cooldown", lambda spec: spec.scaling.replicas.min > 0):
        least = (
            f"`scaling.replicas.min` is {subject.spec.scaling.replicas.min} ({subject.line('scaling.replicas.min')})"
        )
        message = f"{least}, but this only delays the step to 0"
        hint = "remove it; `scaling.scale_down.window` delays all other scale-downs"
        yield subject.problem("scaling.cooldown", message, hint)
