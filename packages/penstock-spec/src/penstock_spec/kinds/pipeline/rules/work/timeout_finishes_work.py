"""What takes too long counts as done.

With `on_timeout: finish` a message whose handler was cancelled at `work.timeout` is deleted like one that was worked
on. It is not tried again and is no dead letter: if the work was not done, it is lost.

Take `on_timeout` out, so that a timeout is a failed attempt. Where a late result is worth nothing, suppress this with
that reason.
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
    if subject.spec.work.on_timeout == "finish":
        message = (
            f"after {subject.spec.work.timeout} ({subject.line('work.timeout')}) a message is deleted, done or not"
        )
        yield subject.problem(
            "work.on_timeout", message, "write `retry`, or suppress this and say why a late result is worth nothing"
        )
