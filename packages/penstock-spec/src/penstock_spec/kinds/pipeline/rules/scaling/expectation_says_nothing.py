"""An expectation has no condition, so it cannot fail.

Each item of `expect` describes traffic for the simulator and the conditions that must hold. Without a condition the
simulation always passes; it looks like a test but checks nothing.

Add at least one of `oldest_under`, `replicas_at_most`, `busy_stopped_at_most` and `back_to_min_within`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    for index, expectation in enumerate(subject.spec.expect):
        conditions = (
            expectation.oldest_under,
            expectation.replicas_at_most,
            expectation.busy_stopped_at_most,
            expectation.back_to_min_within,
        )
        if all(condition is None for condition in conditions):
            message = "it has traffic, but no condition that must hold"
            hint = "add `oldest_under`, `replicas_at_most` or `back_to_min_within`"
            yield subject.problem(f"expect[{index}].name", message, hint)
