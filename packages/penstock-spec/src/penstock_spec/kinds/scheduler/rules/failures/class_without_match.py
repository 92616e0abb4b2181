"""A class of failures takes none.

A class says in `match` which failures it takes: exceptions by name, and HTTP statuses. Only the classes that are always
there (`forbidden`, `throttled`, `transient`, `server`) have one without saying it.

Write what it takes, or the name of the class that was meant.
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
    for name, one in subject.spec.failures.classes.items():
        if not one.match:
            close = nearest(name, tuple(STANDARD))
            hint = f"write `{close}`" if close else 'add it, such as `match: [TimeoutError, "503"]`'
            yield subject.problem(f"failures.classes.{name}", f"`{name}` says no `match`", hint)
