"""A job says nowhere when it runs.

A job runs every so often (`every`) or at the times of a clock (`cron`), and says it itself or takes it from `each`.
This one has neither, so it would never be due.

Say `every: 30s` or `cron: "*/5 * * * *"` for it, or in `each` for all.
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
            message = f"neither `{printable(job.name)}` nor `each` ({subject.line('each')}) says `every` or `cron`"
            yield subject.problem(f"jobs[{index}].name", message, "add `every: 30s` to it, or to `each` for all jobs")
