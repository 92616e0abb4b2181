"""Two jobs have the same name.

Redis stores the state of a job under its name: when it is due, which pod runs it, how its last run ended. Two jobs
with one name are one job, with the times and arguments of the one that was registered last.

Rename one of them, or remove it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, job in enumerate(jobs_of(subject.spec)):
        before = first.setdefault(job.name, index)
        if before != index:
            message = f"`{printable(job.name)}` is the name of another job too ({subject.line(f'jobs[{before}].name')})"
            yield subject.problem(f"jobs[{index}].name", message, "rename one of the two jobs, or remove it")
