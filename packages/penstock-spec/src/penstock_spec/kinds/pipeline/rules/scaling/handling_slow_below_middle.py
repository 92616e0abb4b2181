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
    for index, one in enumerate(subject.spec.expect):
        if one.handling_p99 is not None and one.handling_p99.amount <= one.handling.amount:
            line = subject.line(f"expect[{index}].handling")
            message = f"the median handling time is {one.handling} ({line})"
            hint = f"set it to more than `{one.handling}`, or remove it"
            yield subject.problem(f"expect[{index}].handling_p99", message, hint)
