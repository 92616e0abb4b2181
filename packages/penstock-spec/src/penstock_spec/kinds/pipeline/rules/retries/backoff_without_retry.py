"""A wait is said where there is only one attempt.

With `attempts: 1` nothing is tried again: a failure makes a dead letter at once, and the backoff beside it has no
effect. (A message whose worker was lost still gets one more attempt, alone, without a wait.)

Take the backoff out, or allow more attempts.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.kinds.pipeline.waits import waits
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    retries = subject.spec.retries
    every = list(waits(retries))
    if subject.given("retries.backoff") and all(one.attempts == 1 for one in every):
        yield _told(subject, "retries")
    for one in every:
        if one.name and one.attempts == 1 and retries.classes[one.name].backoff is not None:
            yield _told(subject, one.path)


def _told(subject: SpecContext[Pipeline], section: str) -> Problem:
    own = f"{section}.attempts"
    line = subject.line(own if subject.given(own) else "retries.attempts")
    return subject.problem(
        f"{section}.backoff", f"`attempts` is 1 ({line}), so nothing waits", "take it out, or allow more attempts"
    )
