"""Classes of failures are described, and not used.

With `failures.by_class: false`, which is the default, every failed job waits for its `error_interval`, whatever
failed. What the spec says of classes has no effect then.

Set `failures.by_class: true`, or take the classes out.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    said = [name for name in subject.spec.failures.classes if _says(subject, f"failures.classes.{name}")]
    if said and not subject.spec.failures.by_class:
        line = subject.line("failures.by_class")
        message = f"failures are not told apart ({line}), so this says nothing"
        yield subject.problem(f"failures.classes.{said[0]}", message, "set `failures.by_class: true`, or take it out")


def _says(subject: SpecContext[Scheduler], path: str) -> bool:
    """Not only of what is derived."""
    return any(
        subject.given(f"{path}.{field}")
        for field in ("match", "immediate", "backoff", "backoff.first", "backoff.limit", "backoff.factor")
    )
