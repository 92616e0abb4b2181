"""A duration must be in whole seconds for Kubernetes and KEDA.

In the manifests, a pod's grace period, KEDA's polling interval and cooldown, and the window and period of the HPA are
whole numbers of seconds. Rounding a fraction silently would make the cluster differ from the spec. The polling
interval and the period must be at least one second.

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
                path, f"`{time}` is not a whole number of seconds, which manifests need", f"write `{better}`"
            )
        elif not time.amount and path in NEVER_ZERO:
            yield subject.problem(path, f"`{time}` is refused: the minimum is one second", "set it to `1s` or more")
