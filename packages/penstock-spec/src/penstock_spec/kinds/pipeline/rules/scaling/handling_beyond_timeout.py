"""An expectation's handling time exceeds the work timeout.

`handling` and `handling_p99` of an expectation say how long messages take. In a cluster a message that takes longer
than `work.timeout` is cancelled and retried; the simulator lets it finish, so its result would not match reality.

Write how long messages really take, or raise `work.timeout`.
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
    timeout = subject.spec.work.timeout
    for index, expectation in enumerate(subject.spec.expect):
        if expectation.environments and subject.environment not in expectation.environments:
            continue
        field, longest = (
            ("handling_p99", expectation.handling_p99)
            if expectation.handling_p99
            else ("handling", expectation.handling)
        )
        if longest > timeout:
            message = f"an attempt is cancelled after {timeout} (`work.timeout`, {subject.line('work.timeout')})"
            yield subject.problem(
                f"expect[{index}].{field}", message, f"set it to at most `{timeout}`, or raise `work.timeout`"
            )
