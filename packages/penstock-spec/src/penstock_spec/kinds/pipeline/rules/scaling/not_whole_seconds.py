"""Kubernetes and KEDA count these times in whole seconds.

The grace of a pod, KEDA's polling interval and cooldown, and the window and period of the HPA are whole numbers of
seconds in the manifests. A fraction cannot be written there, and rounding it in silence would make the spec say one
thing and the cluster do another. The polling interval and the period must also be at least one second.

Write whole seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

SECOND = Duration("1s").amount
NEVER_ZERO = ("scaling.poll", "scaling.scale_down.at_most.per")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaling = subject.spec.scaling
    times = {
        "shutdown.grace": subject.spec.shutdown.grace,
        "scaling.poll": scaling.poll,
        "scaling.cooldown": scaling.cooldown,
        "scaling.scale_down.window": scaling.scale_down.window,
    }
    if scaling.scale_down.at_most is not None:
        times["scaling.scale_down.at_most.per"] = scaling.scale_down.at_most.per
    for path, time in times.items():
        if time.amount % SECOND:
            better = Duration.of(-(-time.amount // SECOND) * SECOND)
            yield subject.problem(
                path, f"`{time}` becomes a number of whole seconds in a manifest", f"write `{better}`"
            )
        elif not time.amount and path in NEVER_ZERO:
            yield subject.problem(path, f"`{time}` is refused: one second is the least", "write `1s` or more")
