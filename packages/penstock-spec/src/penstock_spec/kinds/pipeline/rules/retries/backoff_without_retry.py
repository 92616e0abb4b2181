"""A backoff is set, but nothing is retried.

With `attempts: 1` a failure becomes a dead letter immediately, so the backoff has no effect. (A message whose worker
was lost still gets one more isolated attempt, without a wait.)

Remove the backoff, or allow more attempts.
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
    if subject.is_set("retries.backoff") and all(wait.attempts == 1 for wait in every):
        yield _problem(subject, "retries")
    for wait in every:
        if wait.name and wait.attempts == 1 and retries.classes[wait.name].backoff is not None:
            yield _problem(subject, wait.path)


def _problem(subject: SpecContext[Pipeline], section: str) -> Problem:
    own = f"{section}.attempts"
    line = subject.line(own if subject.is_set(own) else "retries.attempts")
    return subject.problem(
        f"{section}.backoff",
        f"`attempts` is 1 ({line}), so nothing is retried",
        "remove the backoff, or allow more attempts",
    )
