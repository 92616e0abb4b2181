"""Kubernetes refuses a scale-down window above an hour.

`scaling.scale_down.window` becomes the HPA's stabilization window, and the API server takes one hour at the most. The
ScaledObject is accepted, KEDA cannot make its HPA, and nothing scales.

Write `1h` or less. Pods that must stay longer belong to `scaling.replicas.min`.
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
        message = f"the HPA takes `{LONGEST}` at the most, and this is `{window}`"
        yield subject.problem("scaling.scale_down.window", message, f"write `{LONGEST}` or less")
