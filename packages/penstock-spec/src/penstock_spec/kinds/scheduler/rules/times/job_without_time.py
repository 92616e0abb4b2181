"""A job says nowhere when it runs.

A job runs every so often (`every`) or at the times of a clock (`cron`), and says it itself or takes it from `each`.
This one has neither, so it would never be due.

Say `every: 30s` or `cron: "*/5 * * * *"` for it, or in `each` for all.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import listed
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Scheduler]) -> Iterator[Found]:
    for index, job in enumerate(listed(subject.spec)):
        if job.every is None and job.cron is None:
            message = f"neither `{shown(job.name)}` nor `each` ({subject.line('each')}) says `every` or `cron`"
            yield subject.problem(f"jobs[{index}].name", message, "add `every: 30s` to it, or to `each` for all jobs")
