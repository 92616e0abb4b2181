"""The least number of pods is above the most.

`scaling.replicas.min` pods are always there, and `scaling.replicas.max` are never exceeded. KEDA refuses a
ScaledObject where the first is above the second, and then nothing scales.

Lower the minimum or raise the maximum. An environment that changes one of them may have to change both.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.ERROR)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """The bounds must be in order."""
    least, most = it.spec.scaling.replicas.min, it.spec.scaling.replicas.max
    if least > most:
        says = f"`scaling.replicas.max` is {most} ({it.line('scaling.replicas.max')})"
        yield it.problem("scaling.replicas.min", says, f"write at most `{most}`, or raise the maximum")
