"""An expectation on replicas can never fail.

`replicas_at_most` says that this traffic must not need more pods. If it is at or above `scaling.replicas.max` it can
never fail, because neither a simulation nor a cluster exceeds the maximum.

Set it below the maximum, to a number that you would be surprised to see exceeded, or remove it. Environments with a
higher maximum count: this finding occurs only if the condition has no effect in any environment, or in any of those
that `environments` of the expectation lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import in_environments
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for index, expectation in enumerate(subject.spec.expect):
        if expectation.environments and subject.environment not in expectation.environments:
            continue
        if expectation.replicas_at_most is None or expectation.replicas_at_most < subject.spec.scaling.replicas.max:
            continue
        most = max(spec.scaling.replicas.max for spec in in_environments(subject, expectation.environments))
        if expectation.replicas_at_most >= most:
            message = f"the number of pods never exceeds {most} (`scaling.replicas.max`), so this always holds"
            yield subject.problem(
                f"expect[{index}].replicas_at_most", message, f"set it to less than `{most}`, or remove it"
            )
