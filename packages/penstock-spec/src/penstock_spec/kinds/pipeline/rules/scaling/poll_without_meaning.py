"""A polling interval is set where KEDA's polling decides nothing.

`scaling.poll` is how often KEDA looks whether a sleeping pipeline must wake. With `scaling.replicas.min` above 0 it
never sleeps: the HPA alone decides, and it asks every 15 seconds, whatever is said here.

Take it out. Pods that must come sooner need a lower `scaling.backlog_per_replica` or a higher `scaling.replicas.min`.
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
    if in_vain(subject, "scaling.poll", lambda one: one.scaling.replicas.min > 0):
        least = (
            f"`scaling.replicas.min` is {subject.spec.scaling.replicas.min} ({subject.line('scaling.replicas.min')})"
        )
        message = f"{least}, and this only counts from 0 to 1; the HPA asks every 15 s by itself"
        hint = "take it out; for pods that come sooner, lower `scaling.backlog_per_replica`"
        yield subject.problem("scaling.poll", message, hint)
