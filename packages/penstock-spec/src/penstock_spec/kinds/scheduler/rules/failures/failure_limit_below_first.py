"""The backoff limit of a failure class is below its first backoff.

`limit` is the longest wait of a class. If it is below `first`, every wait is as long as the limit, and `first` and
`factor` have no effect. This often happens when only one of the two is changed in a built-in class.

Raise `limit` or lower `first`.
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
    failures = subject.spec.failures
    backoffs = {f"failures.classes.{name}.backoff": one.backoff for name, one in failures.classes.items()}
    for path, backoff in {**backoffs, "failures.lost": failures.lost}.items():
        if backoff and backoff.limit and backoff.limit < backoff.first:
            message = f"the first wait is {backoff.first}, but no wait can be longer than {backoff.limit}"
            at = subject.first_set(f"{path}.limit", f"{path}.first")
            yield subject.problem(at, message, f"set `limit` to at least `{backoff.first}`")
