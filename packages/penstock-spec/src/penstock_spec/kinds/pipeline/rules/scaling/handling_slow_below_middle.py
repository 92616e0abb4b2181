"""An expectation's `handling_p99` is not longer than `handling`.

Half of the messages take less than `handling`, and 99 of 100 less than `handling_p99`. The second cannot be shorter
than the first; the two are probably swapped.

Raise `handling_p99`, or remove it: all messages then take as long as `handling`.
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
        if expectation.handling_p99 is not None and expectation.handling_p99.amount <= expectation.handling.amount:
            line = subject.line(f"expect[{index}].handling")
            message = f"the median handling time is {expectation.handling} ({line})"
            hint = f"set it to more than `{expectation.handling}`, or remove it"
            yield subject.problem(f"expect[{index}].handling_p99", message, hint)
