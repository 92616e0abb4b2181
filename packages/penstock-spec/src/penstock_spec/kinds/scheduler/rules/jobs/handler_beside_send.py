"""A job has both a handler and `send`.

A job either runs a handler or sends a message. With `send`, the message is sent and no handler runs.

Remove one of the two. Put work that has to happen with the message into the pipeline's handler.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for index, job in enumerate(jobs_of(subject.spec)):
        if job.handler and job.send:
            message = f"it sends a message ({subject.line(f'jobs[{index}].send')}), so this handler never runs"
            yield subject.problem(f"jobs[{index}].handler", message, "remove one of the two")
