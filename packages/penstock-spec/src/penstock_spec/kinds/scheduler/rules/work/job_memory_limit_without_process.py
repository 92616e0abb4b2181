"""A memory limit of jobs needs `isolation: process`.

`work.memory_limit` limits the memory of one child process. Without `isolation: process` jobs share the pod's own
process, where a limit would end all of them.

Set `isolation: process`, or remove the limit; `resources.memory` limits the pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    work = subject.spec.work
    if work.memory_limit is not None and work.isolation != "process":
        line = subject.line("work.isolation")
        message = f"`work.isolation` is `{work.isolation}` ({line}), so there are no child processes"
        yield subject.problem("work.memory_limit", message, "set `work.isolation: process`, or remove the limit")
