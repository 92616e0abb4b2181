"""A draining worker is gone before it first tells its progress.

`shutdown.progress` is how often a worker that was told to stop says what still runs. Work ends where the margin
begins, so a time as long as the rest of the grace has no effect.

Make it a fraction of the grace, or take it out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    shutdown = subject.spec.shutdown
    draining = shutdown.grace - shutdown.margin
    if subject.given("shutdown.progress") and draining.amount and not shutdown.progress < draining:
        message = f"work ends {draining} after the signal, {shutdown.margin} before the end of the grace"
        yield subject.problem("shutdown.progress", message, "make it a fraction of that, or take it out")
