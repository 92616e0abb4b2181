"""A limit names a label that no job has.

`limits` counts jobs that share the value of a label. If no job has the label, because its name is misspelt in one
of the two places, nothing is limited.

Write the label as the jobs have it, or add it to the jobs. If a function lists the jobs, this is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.effective import jobs_of
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    if isinstance(subject.spec.jobs, str):
        return
    labels = {label for job in jobs_of(subject.spec) for label in job.labels}
    for label in subject.spec.limits:
        if label not in labels:
            near = nearest(label, sorted(labels))
            hint = f"write `{printable(near)}`" if near else "add the label to the jobs, or remove the limit"
            yield subject.problem(f"limits.{label}", f"no job has the label `{printable(label)}`", hint)
