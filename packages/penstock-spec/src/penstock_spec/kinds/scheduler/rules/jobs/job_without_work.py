"""A job has no handler and sends no message.

A job runs a handler or sends a message to a pipeline. Without either it runs the handler of the scheduler, but none is
set.

Add `handler: module:function` at the top of the spec for all jobs, or `handler` or `send` to this job.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for index, job in enumerate(effective_jobs(subject.spec)):
        if job.handler is None and job.send is None:
            line = subject.line("handler")
            message = (
                f"`{printable(job.name)}` has neither `handler` nor `send`, and the scheduler has no `handler` ({line})"
            )
            yield subject.problem(
                f"jobs[{index}].name", message, "add `handler: module:function` at the top of the spec, or to the job"
            )
