"""No job may hang for longer, though it is said.

`cleanup.zombies.exceptional` gives the jobs that match its pattern a threshold of their own. Without a pattern, with
one that matches no job, or with a threshold that is no longer than that of all, it changes nothing.

Write a pattern that matches the whole names of those jobs, and a longer threshold; or take it out.
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
        if subject.given(f"{path}.threshold"):
            yield subject.problem(f"{path}.threshold", "there is no pattern beside it", "add `pattern`, or take it out")
    elif not zombies.enabled:
        line = subject.line("cleanup.zombies.enabled")
        yield subject.problem(f"{path}.pattern", f"nothing is cancelled ({line})", "take it out")
    elif names and not any(matches(own.pattern, name) for name in names):
        message = f"`{printable(own.pattern)}` matches the whole name of no job"
        yield subject.problem(f"{path}.pattern", message, "write one that matches, or take it out")
    elif own.threshold.amount <= zombies.threshold.amount:
        message = f"all jobs may hang for {zombies.threshold} ({subject.line('cleanup.zombies.threshold')})"
        at = subject.written(f"{path}.threshold", f"{path}.pattern")
        yield subject.problem(at, message, f"write more than `{zombies.threshold}`, or take it out")
