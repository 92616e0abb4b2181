"""A job name consists of digits only.

Members of digits only are a sign of corrupted sets, in which scores were written instead of names. The cleanup removes
them, so a job with such a name is registered and removed again and again.

Add a word to the name. If your sets cannot be corrupted in this way, set `cleanup.orphans.remove_numeric: false`.
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
                f"`{job.name}` consists of digits, and `cleanup.orphans.remove_numeric` ({line}) removes such names"
            )
            yield subject.problem(f"jobs[{index}].name", message, f"write `job-{job.name}`")
