"""A job's timeout is longer than its interval.

`every` counts from the start of a run. A run that takes longer than that is due again when it ends, so the job runs
without a pause, and a run that hangs keeps its permit for longer than the interval. The job never runs twice at the
same time: it is late, which the metric `lateness` shows.

Set `timeout` to at most `every`, or run the job less often.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    each = subject.spec.each
    reported = set()
    if each.every and each.timeout and each.timeout > each.every:
        reported.add(("each.timeout", "each.every"))
        yield _problem(subject, "each.timeout", "each.every", each.timeout, each.every)
    for index, job in enumerate(effective_jobs(subject.spec)):
        own = f"jobs[{index}]"
        at, beside = (
            f"{own if subject.is_set(f'{own}.{field}') else 'each'}.{field}" for field in ("timeout", "every")
        )
        if job.every and job.timeout > job.every and (at, beside) not in reported:
            at, beside = (at, beside) if at.startswith(own) else (beside, at)
            yield _problem(subject, at, beside, job.timeout, job.every)


def _problem(subject: SpecContext[Scheduler], at: str, beside: str, timeout: Duration, every: Duration) -> Problem:
    message = f"a run may take {timeout}, but the next is due {every} after its start ({subject.line(beside)})"
    return subject.problem(at, message, f"set `timeout` to at most `{every}`, or run the job less often")
