"""A cooldown is set where nothing scales to zero.

KEDA's cooldown delays one step only, the one from the last pods to none. With `scaling.replicas.min` above 0 there is
no such step. All other steps down are the HPA's, which does not know the cooldown.

To keep pods through a short lull, set `scaling.scale_down.window`; to take them away slowly,
`scaling.scale_down.at_most`.
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
    if in_vain(subject, "scaling.cooldown", lambda one: one.scaling.replicas.min > 0):
        least = (
            f"`scaling.replicas.min` is {subject.spec.scaling.replicas.min} ({subject.line('scaling.replicas.min')})"
        )
        message = f"{least}, and this only delays the step to 0"
        hint = "take it out; `scaling.scale_down.window` delays every other step down"
        yield subject.problem("scaling.cooldown", message, hint)
