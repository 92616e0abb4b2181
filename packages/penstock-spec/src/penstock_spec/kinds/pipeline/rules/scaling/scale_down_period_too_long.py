"""The scale-down period exceeds 30 minutes.

`scaling.scale_down.at_most` becomes a policy of the HPA: a number of pods per period. The API server allows periods of
up to 30 minutes. With a longer one the ScaledObject is accepted, but KEDA cannot create its HPA, and nothing scales.

Express the same speed in a shorter period: 4 pods per hour are 2 pods per `30m`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

LONGEST = Duration("30m")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    at_most = subject.spec.scaling.scale_down.at_most
    if at_most is not None and at_most.per > LONGEST:
        message = f"the HPA allows at most `{LONGEST}`, but this is `{at_most.per}`"
        yield subject.problem(
            "scaling.scale_down.at_most.per", message, f"set it to `{LONGEST}` or less, with fewer pods"
        )
