"""The minimum number of replicas is above the maximum.

At least `scaling.replicas.min` and at most `scaling.replicas.max` pods run. KEDA refuses a ScaledObject whose minimum
is above its maximum, and then nothing scales.

Lower the minimum or raise the maximum. An environment that overrides one of them may have to override both.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.display import many

MINIMUM, MAXIMUM = ("spec", "minReplicaCount"), ("spec", "maxReplicaCount")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    least, most = scaler.integer(*MINIMUM), scaler.integer(*MAXIMUM)
    if least is not None and most is not None and least > most:
        message = f"the minimum is {many(least, 'pod')}, but the maximum is {most} ({scaler.line(MAXIMUM)})"
        hint = f"set `scaling.replicas.min` to at most `{most}`, or raise the maximum"
        yield scaler.problem(message, hint, MINIMUM, MAXIMUM)
