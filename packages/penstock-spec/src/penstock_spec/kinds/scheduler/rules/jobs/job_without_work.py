"""A job does nothing.

A job runs a handler or sends a message to a pipeline. One that says neither runs the handler of the scheduler, and
here there is none.

Say `handler: module:function` at the top for all jobs, or `handler` or `send` for this one.
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
                f"`{printable(job.name)}` has neither `handler` nor `send`, and there is no handler for all ({line})"
            )
            yield subject.problem(
                f"jobs[{index}].name", message, "add `handler: module:function` at the top, or to the job"
            )
