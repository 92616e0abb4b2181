"""A cron expression is never due.

Each of its fields can be read, and no day has them all: there is no 30th of February. The job would be registered,
and never run.

Write a day that the month has; `L` is the last of each.
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
"""The first of January 2024. Every day that comes at all comes within fifty years of it."""


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    said = {"each.cron": (subject.spec.each.cron, subject.spec.each.time_zone)}
    for index, job in enumerate(effective_jobs(subject.spec)):
        said[f"jobs[{index}].cron" if subject.given(f"jobs[{index}].cron") else "each.cron"] = (job.cron, job.time_zone)
    for path, (cron, zone) in said.items():
        if cron is not None and next_after(cron, zone, SOME_DAY) is None:
            message = f"`{printable(cron)}` is never due: no month of it has such a day"
            yield subject.problem(path, message, "write a day that the month has; `L` is the last")
