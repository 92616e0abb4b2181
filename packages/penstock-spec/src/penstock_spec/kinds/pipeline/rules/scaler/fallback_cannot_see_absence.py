"""The fallback does not cover a Redis that is gone.

It covers errors that Redis *answers*. Measured with KEDA 2.21 and a Redis that could not be reached: after the first
failures KEDA fails while it connects anew, where nothing is counted, so the fallback had not come after 90 s and the
pods stayed as they were. At the first good poll, which read 0, they went from 5 to 0 at once, because the outage had
used up the cooldown.

Keep one pod, so that the HPA with its window takes the others away. Or take this on: what runs at that moment is
given back within `shutdown.grace` and runs again.
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
    said = subject.spec.scaling.fallback
    if said is None or not said.replicas or subject.spec.scaling.replicas.min > 0:
        return
    if subject.layers.source(("scaling", "fallback")) in (Source.SPEC, Source.ENVIRONMENT):
        message = (
            "it covers errors that Redis answers; after a Redis that was gone, the pods go to 0 at the first good poll"
        )
        yield subject.problem(
            "scaling.fallback", message, "set `scaling.replicas.min` to 1, or take it on with `suppress`"
        )
