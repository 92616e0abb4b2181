"""The first wait after a failure is longer than the longest.

No wait of a class is longer than its `limit`. A limit below `first` makes every wait as long as the limit, and
`first` and `factor` say nothing. That happens easily to a class that is always there, when one of the two is said
anew.

Raise the limit, or write the first wait that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for name, one in subject.spec.failures.classes.items():
        if one.backoff and one.backoff.limit and one.backoff.limit < one.backoff.first:
            path = f"failures.classes.{name}.backoff"
            message = f"the first wait is {one.backoff.first}, and no wait is longer than {one.backoff.limit}"
            at = subject.written(f"{path}.limit", f"{path}.first")
            yield subject.problem(at, message, f"set `limit` to at least `{one.backoff.first}`")
