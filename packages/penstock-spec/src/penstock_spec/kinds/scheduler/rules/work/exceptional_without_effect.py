"""The exceptional zombie threshold has no effect.

`cleanup.zombies.exceptional` sets another threshold for the jobs that match its pattern. It has no effect without a
pattern, if the pattern matches no job, or if its threshold is not longer than the one of all jobs.

Write a pattern that matches the full names of those jobs, and a longer threshold, or remove it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import effective_jobs, matches
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    zombies = subject.spec.cleanup.zombies
    own, names = zombies.exceptional, [job.name for job in effective_jobs(subject.spec)]
    path = "cleanup.zombies.exceptional"
    if not own.pattern:
        if subject.is_set(f"{path}.threshold"):
            yield subject.problem(
                f"{path}.threshold", "it has no effect without a pattern", "add `pattern`, or remove it"
            )
    elif not zombies.enabled:
        line = subject.line("cleanup.zombies.enabled")
        yield subject.problem(f"{path}.pattern", f"zombies are not cancelled ({line})", "remove it")
    elif names and not any(matches(own.pattern, name) for name in names):
        message = f"`{printable(own.pattern)}` does not match the whole name of any job"
        yield subject.problem(f"{path}.pattern", message, "write a pattern that matches, or remove it")
    elif own.threshold.amount <= zombies.threshold.amount:
        message = f"the threshold of all jobs is {zombies.threshold} ({subject.line('cleanup.zombies.threshold')})"
        at = subject.first_set(f"{path}.threshold", f"{path}.pattern")
        yield subject.problem(at, message, f"set it to more than `{zombies.threshold}`, or remove it")
