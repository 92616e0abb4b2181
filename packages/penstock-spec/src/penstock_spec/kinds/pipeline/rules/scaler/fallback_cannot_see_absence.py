"""The fallback does not cover an unreachable Redis.

KEDA's fallback covers errors that Redis *returns*. If Redis cannot be reached, KEDA fails while it reconnects, which
does not count as a failed poll: in a test with KEDA 2.21 the fallback had not started after 90 s, and the number of
pods had not changed. The first successful poll read 0 and scaled from 5 to 0 at once, because the cooldown had ended
during the outage.

Keep at least one pod, so that the HPA with its window removes the others. Or suppress this finding if that is
acceptable: messages that run at that moment have `shutdown.grace` minus
`shutdown.margin` to finish, or are given back and run again.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.layers import Source
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    fallback = subject.spec.scaling.fallback
    if fallback is None or not fallback.replicas or subject.spec.scaling.replicas.min > 0:
        return
    if subject.layers.source(("scaling", "fallback")) in (Source.SPEC, Source.ENVIRONMENT):
        message = "it does not cover an unreachable Redis: the first successful poll after the outage scales to 0"
        yield subject.problem(
            "scaling.fallback", message, "set `scaling.replicas.min` to 1, or suppress this finding with a reason"
        )
