"""The shutdown progress interval is longer than the drain.

`shutdown.progress` is how often a draining worker logs which messages are still running. The drain ends when the
margin begins, so an interval as long as the rest of the grace period has no effect.

Set it to a fraction of the grace period, or remove it.
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
    if subject.is_set("shutdown.progress") and draining.amount and not shutdown.progress < draining:
        message = f"the drain ends {draining} after SIGTERM, {shutdown.margin} before the end of the grace period"
        yield subject.problem("shutdown.progress", message, f"set it to a fraction of {draining}, or remove it")
