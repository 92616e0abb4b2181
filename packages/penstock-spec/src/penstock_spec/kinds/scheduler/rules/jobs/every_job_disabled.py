"""No job runs, for each of them is disabled.

`patterns.disabled` wins over `patterns.enabled`. Here what is left of the jobs is nothing: pods run, and do nothing.

Disable less. To stop all jobs for a time, use `penstock scheduler pause --all`, which keeps what is due.
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


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    patterns = subject.spec.patterns
    enabled = [job.name for job in effective_jobs(subject.spec) if matches(patterns.enabled, job.name)]
    if enabled and all(matches(patterns.disabled, name) for name in enabled):
        message = f"`{printable(patterns.disabled)}` matches every job that is enabled, so none runs"
        yield subject.problem(
            "patterns.disabled", message, "disable less; `penstock scheduler pause --all` stops all for a time"
        )
