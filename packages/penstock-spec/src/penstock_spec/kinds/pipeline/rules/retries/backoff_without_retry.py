"""A wait is said where there is only one attempt.

With `attempts: 1` nothing is tried again: a failure makes a dead letter at once, and the backoff beside it has no
effect. (A message whose worker was lost still gets one more attempt, alone, without a wait.)

Take the backoff out, or allow more attempts.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import waits
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.INFO)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """In a class, or for all failures when no class tries again either."""
    retries = it.spec.retries
    every = list(waits(retries))
    if it.given("retries.backoff") and all(one.attempts == 1 for one in every):
        yield _told(it, "retries")
    for one in every:
        if one.name and one.attempts == 1 and retries.classes[one.name].backoff is not None:
            yield _told(it, one.path)


def _told(it: Subject[Pipeline], section: str) -> Found:
    own = f"{section}.attempts"
    line = it.line(own if it.given(own) else "retries.attempts")
    return it.problem(
        f"{section}.backoff", f"`attempts` is 1 ({line}), so nothing waits", "take it out, or allow more attempts"
    )
