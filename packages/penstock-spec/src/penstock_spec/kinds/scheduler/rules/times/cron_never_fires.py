"""A cron expression never fires.

Each of its fields is valid, but no date matches all of them: there is no 30th of February. The job would be registered
and never run.

Write a day that the month has; `L` is the last day of each month.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.cron import next_after
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

SOME_DAY = 1_704_067_200
"""1 January 2024. Any date that exists at all occurs within fifty years of it."""


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    crons = {"each.cron": (subject.spec.each.cron, subject.spec.each.time_zone)}
    for index, job in enumerate(effective_jobs(subject.spec)):
        crons[f"jobs[{index}].cron" if subject.is_set(f"jobs[{index}].cron") else "each.cron"] = (
            job.cron,
            job.time_zone,
        )
    for path, (cron, zone) in crons.items():
        if cron is not None and next_after(cron, zone, SOME_DAY) is None:
            message = f"`{printable(cron)}` never fires: none of its months has such a day"
            yield subject.problem(path, message, "write a day that the month has; `L` is the last day")
