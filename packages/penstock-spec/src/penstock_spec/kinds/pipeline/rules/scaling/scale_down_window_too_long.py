"""The scale-down window exceeds one hour.

`scaling.scale_down.window` becomes the HPA's stabilization window, and the API server allows at most one hour. With a
longer one the ScaledObject is accepted, but KEDA cannot create its HPA, and nothing scales.

Write `1h` or less. To keep pods longer, raise `scaling.replicas.min`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

LONGEST = Duration("1h")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    window = subject.spec.scaling.scale_down.window
    if window > LONGEST:
        message = f"the HPA allows at most `{LONGEST}`, but this is `{window}`"
        yield subject.problem("scaling.scale_down.window", message, f"set it to `{LONGEST}` or less")
