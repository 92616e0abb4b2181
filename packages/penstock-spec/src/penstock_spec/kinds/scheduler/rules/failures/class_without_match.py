"""A failure class has no `match`.

`match` lists the failures of a class: exceptions by name, and HTTP statuses. Only the built-in classes (`forbidden`,
`throttled`, `transient`, `server`) have a default for it.

Add `match`, or write the name of a built-in class.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.failures import STANDARD
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    for name, failure_class in subject.spec.failures.classes.items():
        if not failure_class.match:
            close = nearest(name, tuple(STANDARD))
            hint = f"write `{close}`" if close else 'add it, such as `match: [TimeoutError, "503"]`'
            yield subject.problem(f"failures.classes.{name}", f"`{name}` has no `match`", hint)
