"""A job's name is digits alone.

Names of digits alone in the sets are what damage looks like: scores that were written in the place of names. So the
cleanup removes them, and a job of such a name would be registered and removed again and again.

Put a word before the number. If no such damage can be, set `cleanup.orphans.remove_numeric: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    orphans = subject.spec.cleanup.orphans
    for index, job in enumerate(jobs_of(subject.spec)):
        if job.name.isdecimal() and orphans.enabled and orphans.remove_numeric:
            line = subject.line("cleanup.orphans.remove_numeric")
            message = (
                f"`{job.name}` is digits alone, and `cleanup.orphans.remove_numeric` removes such entries ({line})"
            )
            yield subject.problem(f"jobs[{index}].name", message, f"write `job-{job.name}`")
