"""A polling interval has no effect if nothing scales to zero.

`scaling.poll` is how often KEDA checks whether a pipeline at zero must wake. With `scaling.replicas.min` above 0 a
pipeline is never at zero: the HPA alone decides, and it reads the scaling signal every 15 seconds, whatever the
interval is.

Remove it. To start pods sooner, lower `scaling.backlog_per_replica` or raise `scaling.replicas.min`.
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
    if has_no_effect(subject, "scaling.poll", lambda spec: spec.scaling.replicas.min > 0):
        least = (
            f"`scaling.replicas.min` is {subject.spec.scaling.replicas.min} ({subject.line('scaling.replicas.min')})"
        )
        message = f"{least}, but this only affects the step from 0 to 1; the HPA polls every 15 s by itself"
        hint = "remove it; to start pods sooner, lower `scaling.backlog_per_replica`"
        yield subject.problem("scaling.poll", message, hint)
