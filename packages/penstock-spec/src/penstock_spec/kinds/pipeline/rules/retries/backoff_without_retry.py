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
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    retries = subject.spec.retries
    every = list(waits(retries))
    if subject.given("retries.backoff") and all(one.attempts == 1 for one in every):
        yield _told(subject, "retries")
    for one in every:
        if one.name and one.attempts == 1 and retries.classes[one.name].backoff is not None:
            yield _told(subject, one.path)


def _told(subject: Subject[Pipeline], section: str) -> Found:
    own = f"{section}.attempts"
    line = subject.line(own if subject.given(own) else "retries.attempts")
    return subject.problem(
        f"{section}.backoff", f"`attempts` is 1 ({line}), so nothing waits", "take it out, or allow more attempts"
    )
