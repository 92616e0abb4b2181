"""The cooldown is over before KEDA looks again.

The cooldown runs from the last look at which there was work. When it is shorter than `scaling.poll`, a single look at
an empty stream takes the last pods away, and the next message waits for a new pod. A cooldown is there to prevent
just that.

Make it several times the polling interval.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaling = subject.spec.scaling
    if scaling.replicas.min == 0 and scaling.cooldown < scaling.poll:
        if subject.given("scaling.cooldown"):
            message = f"KEDA looks every {scaling.poll} (`scaling.poll`, {subject.line('scaling.poll')})"
            yield subject.problem("scaling.cooldown", message, f"write at least `{scaling.poll * 2}`")
        else:
            message = f"the last pods go after {scaling.cooldown} (`scaling.cooldown`, by default)"
            yield subject.problem(
                "scaling.poll", message, f"look more often, or set `scaling.cooldown` to `{scaling.poll * 2}`"
            )
