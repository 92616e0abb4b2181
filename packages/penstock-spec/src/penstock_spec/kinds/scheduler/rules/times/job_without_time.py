"""A job has neither `every` nor `cron`.

A job runs at an interval (`every`) or at certain times (`cron`), set in the job or in `each` for all jobs. This job
has neither, so it would never be due.

Set `every: 30s` or `cron: "*/5 * * * *"` in the job, or in `each`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for index, job in enumerate(effective_jobs(subject.spec)):
        if job.every is None and job.cron is None:
            message = f"neither `{printable(job.name)}` nor `each` ({subject.line('each')}) has `every` or `cron`"
            yield subject.problem(
                f"jobs[{index}].name", message, "add `every: 30s` to the job, or to `each` for all jobs"
            )
