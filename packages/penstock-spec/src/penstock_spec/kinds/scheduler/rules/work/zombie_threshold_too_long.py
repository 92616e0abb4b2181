"""A job that hangs keeps its permit for longer than any run may take.

A job that overran its deadline is told to stop after `cleanup.zombies.threshold`. Where that is longer than the longest
timeout, what hangs runs for more than twice the time that is meant for it, and so long no other job has its permit.

Lower `cleanup.zombies.threshold`. Jobs that may well overrun their deadline have one of their own, in
`cleanup.zombies.exceptional`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs, matches
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    path, zombies = "cleanup.zombies.threshold", subject.spec.cleanup.zombies
    timeouts = [
        job.timeout for job in effective_jobs(subject.spec) if not matches(zombies.exceptional.pattern, job.name)
    ]
    if not timeouts or not zombies.enabled or not subject.given(path):
        return
    longest = max(timeouts, key=lambda one: one.amount)
    if zombies.threshold.amount > longest.amount:
        message = (
            f"no run may take more than {longest}, and one that hangs is told to stop {zombies.threshold} after that"
        )
        yield subject.problem(path, message, f"set it to at most `{longest}`")
