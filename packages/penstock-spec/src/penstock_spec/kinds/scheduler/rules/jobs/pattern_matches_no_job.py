"""A pattern matches none of the jobs.

A pattern takes a job when it matches all of its name: `aws` does not match `aws/eu-west-1/images`, `aws/.*` does. An
enabled pattern that matches none leaves nothing to run, and a disabled one that matches none keeps nothing from
running.

Write a pattern that matches whole names, or take it out. Where a function tells the jobs, this is not looked at.
"""

from __future__ import annotations

import re
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
    names = [job.name for job in effective_jobs(subject.spec)]
    for field, what in (("enabled", "none of them runs"), ("disabled", "it keeps none from running")):
        pattern = getattr(subject.spec.patterns, field)
        if names and (pattern or field == "enabled") and not any(matches(pattern, name) for name in names):
            message = f"`{printable(pattern)}` matches the whole name of no job, so {what}"
            inside = f".*{pattern.removeprefix('^').removesuffix('$')}.*"
            close = any(re.search(pattern, name) for name in names) and any(matches(inside, name) for name in names)
            if not pattern:
                hint = "write `.*` for all, or take it out"
                yield subject.problem(
                    f"patterns.{field}", "it is empty, and matches no job, so none of them runs", hint
                )
                continue
            hint = (
                f"write `{printable(inside)}`" if close else f"write one that matches, such as `{re.escape(names[0])}`"
            )
            yield subject.problem(f"patterns.{field}", message, hint)
