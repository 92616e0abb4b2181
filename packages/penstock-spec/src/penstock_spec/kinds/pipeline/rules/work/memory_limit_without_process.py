"""A memory limit has no process that it could limit.

`work.memory_limit` is the most memory of one child process. Without `isolation: process` handlers share the worker's
own process, and a limit there would kill everything that runs in it.

Write `isolation: process`, or take the limit out; `resources.memory` limits the pod.
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
    work = subject.spec.work
    if work.memory_limit is not None and work.isolation != "process":
        message = (
            f"work.isolation is `{work.isolation}` ({subject.line('work.isolation')}), so there are no child processes"
        )
        yield subject.problem("work.memory_limit", message, "write `isolation: process`, or take it out")
