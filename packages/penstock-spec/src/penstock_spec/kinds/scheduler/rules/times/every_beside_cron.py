"""A job has both `every` and `cron`.

`every` counts from the start of the last run, `cron` follows the clock. With both, it is undefined when the job is
due.

Remove one of the two. To run something both ways, write two jobs with the same handler.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_by_path
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for path, job in jobs_by_path(subject.spec):
        if job.every is not None and job.cron is not None:
            message = (
                f"`every` is {job.every} ({subject.line(f'{path}.every')}), but a job has either `every` or `cron`"
            )
            yield subject.problem(f"{path}.cron", message, "remove one of the two")
