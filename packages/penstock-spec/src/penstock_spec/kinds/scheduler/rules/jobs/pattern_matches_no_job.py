"""A pattern matches no job.

A pattern must match the whole name of a job: `aws` does not match `aws/eu-west-1/images`, but `aws/.*` does. If the
enabled pattern matches no job, nothing runs; if the disabled pattern matches no job, it has no effect.

Write a pattern that matches whole names, or remove it. If a function lists the jobs, Penstock does not check this.
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
    for field, effect in (("enabled", "no job runs"), ("disabled", "it disables nothing")):
        pattern = getattr(subject.spec.patterns, field)
        if names and (pattern or field == "enabled") and not any(matches(pattern, name) for name in names):
            message = f"`{printable(pattern)}` does not match the whole name of any job, so {effect}"
            inside = f".*{pattern.removeprefix('^').removesuffix('$')}.*"
            close = any(re.search(pattern, name) for name in names) and any(matches(inside, name) for name in names)
            if not pattern:
                hint = "write `.*` for all jobs, or remove it"
                yield subject.problem(f"patterns.{field}", "it is empty and matches no job, so no job runs", hint)
                continue
            hint = (
                f"write `{printable(inside)}`"
                if close
                else f"write a pattern that matches, such as `{re.escape(names[0])}`"
            )
            yield subject.problem(f"patterns.{field}", message, hint)
