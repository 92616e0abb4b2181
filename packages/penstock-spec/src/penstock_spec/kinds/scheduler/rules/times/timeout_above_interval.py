"""A run may take longer than the time to the next.

`every` counts from the start of a run. One that takes longer is due again when it ends, so that it runs without a
pause, and one that hangs keeps its permit for longer than the interval before anybody stops it. The job is not run
twice at a time: it is late, and `lateness` says so.

Set `timeout` to at most `every`, or let the job run less often.
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
    told = set()
    if each.every and each.timeout and each.timeout > each.every:
        told.add(("each.timeout", "each.every"))
        yield _told(subject, "each.timeout", "each.every", each.timeout, each.every)
    for index, job in enumerate(effective_jobs(subject.spec)):
        own = f"jobs[{index}]"
        at, beside = (f"{own if subject.given(f'{own}.{one}') else 'each'}.{one}" for one in ("timeout", "every"))
        if job.every and job.timeout > job.every and (at, beside) not in told:
            at, beside = (at, beside) if at.startswith(own) else (beside, at)
            yield _told(subject, at, beside, job.timeout, job.every)


def _told(subject: SpecContext[Scheduler], at: str, beside: str, timeout: Duration, every: Duration) -> Problem:
    message = f"a run may take {timeout}, and the next is due {every} after its start ({subject.line(beside)})"
    return subject.problem(at, message, f"set `timeout` to at most `{every}`, or let it run less often")
