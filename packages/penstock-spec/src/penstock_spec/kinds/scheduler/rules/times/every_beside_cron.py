"""A job runs every so often and by the clock.

`every` counts from the start of the last run, `cron` asks the clock. A job has one of them, or nobody could say when
it is due.

Take one of the two out. What is to run in both ways is two jobs with one handler.
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
    for path, one in jobs_by_path(subject.spec):
        if one.every is not None and one.cron is not None:
            message = f"`every` is {one.every} ({subject.line(f'{path}.every')}), and a job has one or the other"
            yield subject.problem(f"{path}.cron", message, "take one of the two out")
