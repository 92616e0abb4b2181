"""A job without `cron` has a time zone or missed runs.

`time_zone` and `missed` apply only to `cron`. A job with `every` does not run at certain times of the day, and misses
no runs: after a pause it runs once, as soon as possible, and counts from there.

Remove the field, or use `cron` instead of `every`.
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
    for index, (job, written) in enumerate(zip(effective_jobs(subject.spec), jobs_of(subject.spec), strict=True)):
        if job.cron is None:
            for field in ("time_zone", "missed"):
                if getattr(written, field) is not None:
                    message = f"`{printable(job.name)}` has no `cron`, so this has no effect"
                    yield subject.problem(
                        f"jobs[{index}].{field}", message, "remove it, or use `cron` instead of `every`"
                    )
