"""A job does nothing.

A job runs a handler or sends a message to a pipeline. One that says neither runs the handler of the scheduler, and
here there is none.

Say `handler: module:function` at the top for all jobs, or `handler` or `send` for this one.
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
        if job.handler is None and job.send is None:
            line = subject.line("handler")
            message = f"`{shown(job.name)}` has neither `handler` nor `send`, and there is no handler for all ({line})"
            yield subject.problem(
                f"jobs[{index}].name", message, "add `handler: module:function` at the top, or to the job"
            )
