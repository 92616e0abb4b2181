"""The fallback does not cover an unreachable Redis.

KEDA's fallback covers errors that Redis *answers*. If Redis cannot be reached, KEDA fails while it reconnects, which
does not count as a failed reading: with KEDA 2.21 the fallback had not started after 90 s, and the pods stayed as they
were. The first successful poll read 0 and scaled them from 5 to 0 at once, because the outage had used up the
cooldown.

Keep at least one pod, so that the HPA with its window removes the others. Or suppress this finding if that is
acceptable: messages that run at that moment are given back within `shutdown.grace` and run again.
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
        message = "it covers errors that Redis answers; after an unreachable Redis the first good poll scales to 0"
        yield subject.problem(
            "scaling.fallback", message, "set `scaling.replicas.min` to 1, or suppress this finding with a reason"
        )
