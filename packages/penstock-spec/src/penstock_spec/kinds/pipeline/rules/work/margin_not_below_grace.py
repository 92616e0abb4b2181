"""The shutdown margin leaves no time to finish work.

`shutdown.margin` is the last part of `shutdown.grace`: when it begins, the worker cancels running messages and gives
them back. If the margin is as long as the grace period, every scale-down and every rollout cancels all messages
immediately.

Lengthen the grace period or shorten the margin; ten seconds are enough to give messages back and close.
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
    timeout, shutdown = subject.spec.work.timeout, subject.spec.shutdown
    if shutdown.margin < shutdown.grace:
        return
    message = f"it takes up all of `shutdown.grace`, {shutdown.grace} ({subject.line('shutdown.grace')})"
    if subject.is_set("shutdown.margin"):
        yield subject.problem("shutdown.margin", message, "set `shutdown.margin` to less, such as `10s`")
    else:
        needed = timeout + shutdown.margin
        message = f"`shutdown.margin`, {shutdown.margin}, takes up all of it"
        yield subject.problem("shutdown.grace", message, f"set `shutdown.grace` to at least `{needed}`")
