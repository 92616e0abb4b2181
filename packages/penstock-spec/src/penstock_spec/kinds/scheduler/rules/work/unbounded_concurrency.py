"""The concurrency of a scheduler pod is unlimited.

Without a limit one pod starts all due jobs at once. After an hour without Redis, or with thousands of new jobs, it
runs out of memory and connections and is killed, and the next pod does the same.

Set `work.concurrency` to the number of jobs that a pod has memory for. If something else limits how many jobs run at a
time, suppress this finding and name it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    concurrency = subject.spec.work.concurrency
    if concurrency <= 0:
        message = f"`{concurrency}` means no limit: a pod runs all due jobs at once"
        yield subject.problem(
            "work.concurrency", message, "set it to the number of jobs that a pod has memory for, such as `100`"
        )
