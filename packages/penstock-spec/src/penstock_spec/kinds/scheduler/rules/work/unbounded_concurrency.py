"""A pod runs as many jobs at a time as are due.

Without a bound nothing holds back what was late together: after an hour without Redis, or with new jobs by the
thousand, one pod starts all of them at once, with their memory and their connections. It is killed for its memory,
and the next pod does the same.

Write how many jobs a pod has the memory for. Where something else bounds what runs at a time, suppress this and say
what it is.
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
        message = f"`{concurrency}` is no bound: a pod runs all that is due at once"
        yield subject.problem("work.concurrency", message, "write how many jobs a pod has memory for, such as `100`")
