"""Slow messages of an expectation take no longer than others.

Half of the messages take less than `handling`, and 99 of 100 less than `handling_p99`. The second cannot be shorter
than the first; the two were probably swapped.

Write a longer `handling_p99`, or leave it out: all messages then take as long as `handling` says.
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
            message = f"one message in the middle of all takes {one.handling} ({line})"
            hint = f"write more than `{one.handling}`, or take it out"
            yield subject.problem(f"expect[{index}].handling_p99", message, hint)
