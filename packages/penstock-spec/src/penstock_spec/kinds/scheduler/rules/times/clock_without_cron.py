"""A job that runs every so often is told about the clock.

`time_zone` and `missed` are about `cron`. A job with `every` has no hours of a day, and of what it missed nothing is
left: it runs once, as soon as it can, and counts from there.

Take it out, or say `cron` in place of `every`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs, jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for index, (job, said) in enumerate(zip(effective_jobs(subject.spec), jobs_of(subject.spec), strict=True)):
        if job.cron is None:
            for field in ("time_zone", "missed"):
                if getattr(said, field) is not None:
                    message = f"`{printable(job.name)}` has no `cron`, so this says nothing"
                    yield subject.problem(
                        f"jobs[{index}].{field}", message, "take it out, or say `cron` in place of `every`"
                    )
