"""An expectation allows as many pods as there can be.

`replicas_at_most` says that this traffic must not need more pods than that. At or above `scaling.replicas.max` it can
never fail: no simulation, and no cluster, goes beyond the maximum.

Write the number that you would be surprised to see exceeded, below the maximum, or take the condition out. An
environment with a higher maximum counts: this is found only when the condition says nothing in any of them, or in any
of those that the expectation names in `environments`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.without_effect import everywhere
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for index, one in enumerate(subject.spec.expect):
        if one.environments and subject.environment not in one.environments:
            continue
        if one.replicas_at_most is None or one.replicas_at_most < subject.spec.scaling.replicas.max:
            continue
        most = max(spec.scaling.replicas.max for spec in everywhere(subject, one.environments))
        if one.replicas_at_most >= most:
            message = f"there are never more than {most} pods (`scaling.replicas.max`), so this always holds"
            yield subject.problem(
                f"expect[{index}].replicas_at_most", message, f"write less than `{most}`, or take it out"
            )
