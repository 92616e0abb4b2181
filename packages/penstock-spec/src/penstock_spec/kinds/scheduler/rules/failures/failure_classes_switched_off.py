"""Failure classes are defined but not used.

With `failures.by_class: false`, the default, every failed job waits for its `error_interval`, whatever the failure
was. Classes have no effect.

Set `failures.by_class: true`, or remove the classes.
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
    given = [name for name in subject.spec.failures.classes if _is_given(subject, f"failures.classes.{name}")]
    if given and not subject.spec.failures.by_class:
        line = subject.line("failures.by_class")
        message = f"`by_class` is off ({line}), so this has no effect"
        yield subject.problem(
            f"failures.classes.{given[0]}", message, "set `failures.by_class: true`, or remove the class"
        )


def _is_given(subject: SpecContext[Scheduler], path: str) -> bool:
    """True if a value of the class is written, not only derived."""
    return any(
        subject.is_set(f"{path}.{field}")
        for field in ("match", "immediate", "backoff", "backoff.first", "backoff.limit", "backoff.factor")
    )
