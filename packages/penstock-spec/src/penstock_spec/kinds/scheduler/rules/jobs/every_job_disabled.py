"""All jobs are disabled.

`patterns.disabled` overrides `patterns.enabled`. Here it matches every job, so the pods run but have nothing to do.

Disable fewer jobs. To stop all jobs temporarily, use `penstock scheduler pause --all`, which keeps their due times.
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
        message = f"`{printable(patterns.disabled)}` matches every enabled job, so none runs"
        yield subject.problem(
            "patterns.disabled",
            message,
            "disable fewer jobs; `penstock scheduler pause --all` stops all jobs temporarily",
        )
