"""The backoff limit is below the first backoff.

`limit` is the longest wait between attempts. If it is below the first wait, every wait is as long as the limit, and
`first` and `factor` have no effect. In a failure class that sets `first` but no `limit`, the limit of
`retries.backoff` does not shorten the first wait.

Raise `limit` or lower `first`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import waits
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    default = subject.spec.retries.backoff
    if default.limit < default.first:
        yield _problem(
            subject, "retries.backoff", default.first, "limit" if subject.is_set("retries.backoff.limit") else "first"
        )
    for wait in waits(subject.spec.retries):
        own = subject.spec.retries.classes[wait.name].backoff if wait.name else None
        if own is not None and wait.limit < wait.first and (own.first or own.limit):
            yield _problem(subject, f"{wait.path}.backoff", wait.first, "limit" if own.limit else "first")


def _problem(subject: SpecContext[Pipeline], section: str, first: Duration, at: str) -> Problem:
    message = f"the first wait is {first}, but no wait can be longer than the limit"
    return subject.problem(f"{section}.{at}", message, f"set `limit` to at least `{first}`")
