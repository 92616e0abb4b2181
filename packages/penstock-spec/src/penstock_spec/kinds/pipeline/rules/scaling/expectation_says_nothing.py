"""An expectation has no condition, so it cannot fail.

Each item of `expect` is traffic for the simulator, and what must hold under it. Without a condition the simulation
runs and passes, whatever comes out; it looks like a test and proves nothing.

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
    for index, one in enumerate(subject.spec.expect):
        conditions = (one.oldest_under, one.replicas_at_most, one.busy_stopped_at_most, one.back_to_min_within)
        if all(condition is None for condition in conditions):
            message = "it tells the traffic, and not what must hold"
            hint = "add `oldest_under`, `replicas_at_most` or `back_to_min_within`"
            yield subject.problem(f"expect[{index}].name", message, hint)
