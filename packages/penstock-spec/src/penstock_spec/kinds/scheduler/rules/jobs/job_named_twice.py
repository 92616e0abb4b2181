"""Two jobs have one name.

What is known of a job stands under its name in Redis: when it is due, who runs it, how its last run went. Two jobs of
one name are one, with the times and the arguments of whichever was registered last.

Give one of them another name, or take it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, job in enumerate(jobs_of(subject.spec)):
        before = first.setdefault(job.name, index)
        if before != index:
            message = f"`{printable(job.name)}` is the name of another job ({subject.line(f'jobs[{before}].name')})"
            yield subject.problem(f"jobs[{index}].name", message, "give it another name, or take one of the two out")
