"""A wait is longer than the longest wait.

No wait between attempts is longer than `limit`. A limit below the first wait makes all waits as long as the limit,
and `first` and `factor` have no effect. A class that says `first` and no `limit` is not shortened by the limit of
`retries.backoff`.

Raise the limit, or write the first wait that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import waits
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.quantities import Duration


@spec_rule(Severity.WARNING)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """In the usual backoff, and in each class that says its own."""
    usual = it.spec.retries.backoff
    if usual.limit < usual.first:
        yield _told(it, "retries.backoff", usual.first, "limit" if it.given("retries.backoff.limit") else "first")
    for one in waits(it.spec.retries):
        own = it.spec.retries.classes[one.name].backoff if one.name else None
        if own is not None and one.limit < one.first and (own.first or own.limit):
            yield _told(it, f"{one.path}.backoff", one.first, "limit" if own.limit else "first")


def _told(it: Subject[Pipeline], section: str, first: Duration, at: str) -> Found:
    says = f"the first wait is {first}, and no wait may be longer than the limit"
    return it.problem(f"{section}.{at}", says, f"set `limit` to at least `{first}`")
