"""The zombie threshold is longer than any timeout.

A job that overruns its deadline is cancelled after `cleanup.zombies.threshold`. If that is longer than the longest
timeout, a hanging job runs for more than twice its allowed time and keeps its permit from other jobs meanwhile.

Lower `cleanup.zombies.threshold`. For jobs that may overrun their deadline, set a longer one in
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
    if not timeouts or not zombies.enabled or not subject.is_set(path):
        return
    longest = max(timeouts, key=lambda one: one.amount)
    if zombies.threshold.amount > longest.amount:
        message = f"a run may take at most {longest}, but is cancelled only {zombies.threshold} after that"
        yield subject.problem(path, message, f"set it to at most `{longest}`")
