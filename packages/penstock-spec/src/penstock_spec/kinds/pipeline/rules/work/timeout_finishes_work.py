"""A message that times out counts as done.

With `on_timeout: finish`, a message whose handler is cancelled at `work.timeout` is deleted as if it were done. It is
not retried and does not become a dead letter: if the work was not done, it is lost.

Remove `on_timeout`, so that a timeout is a failed attempt. If a late result has no value, suppress this finding with
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
        timeout = f"{subject.spec.work.timeout} ({subject.line('work.timeout')})"
        message = f"after {timeout} a message is deleted, even if it is not done"
        yield subject.problem(
            "work.on_timeout", message, "use `retry`, or suppress this with the reason why a late result has no value"
        )
