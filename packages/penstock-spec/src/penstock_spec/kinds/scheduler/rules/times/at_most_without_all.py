"""The limit of missed runs has no effect without `run: all`.

`missed.at_most` limits how many missed runs are caught up with `run: all`. With `once` it is one run, and with `skip`
none.

Set `run: all`, or remove `at_most`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_by_path
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for path, job in jobs_by_path(subject.spec):
        if job.missed is not None and job.missed.run != "all" and subject.is_set(f"{path}.missed.at_most"):
            message = f"`run` is `{job.missed.run}` ({subject.line(f'{path}.missed.run')}), so this has no effect"
            yield subject.problem(f"{path}.missed.at_most", message, "set `run: all`, or remove `at_most`")
