"""Kubernetes refuses a scale-down period above half an hour.

`scaling.scale_down.at_most` becomes a policy of the HPA: so many pods in such a period. The API server takes periods
of 30 minutes at the most. The ScaledObject is accepted, KEDA cannot make its HPA, and nothing scales.

Say the same speed over a shorter period: 4 pods in an hour are 2 in `30m`.
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
        message = f"the HPA takes `{LONGEST}` at the most, and this is `{at_most.per}`"
        yield subject.problem("scaling.scale_down.at_most.per", message, f"write `{LONGEST}` or less, with fewer pods")
