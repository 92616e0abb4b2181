"""A pod is killed while it still stops its jobs.

A leaving pod tells its jobs to stop, waits for them (`shutdown.cancel`), waits once more for those that ignored it
(`shutdown.force`), and hands back what it holds. When Kubernetes kills it before, what it held is only due again when
its lease is over.

Raise `shutdown.grace`, or lower the other two.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

HANDING_BACK = Duration("5s")
"""For what is handed back at the end."""


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    shutdown = subject.spec.shutdown
    needed = Duration.of(shutdown.cancel.amount + shutdown.force.amount + HANDING_BACK.amount)
    if shutdown.grace < needed:
        message = (
            f"stopping may take {shutdown.cancel} ({subject.line('shutdown.cancel')}) and {shutdown.force} "
            f"({subject.line('shutdown.force')}), and handing back needs {HANDING_BACK} more"
        )
        at = subject.written("shutdown.grace", "shutdown.cancel", "shutdown.force")
        yield subject.problem(at, message, f"set `shutdown.grace` to at least `{needed}`")
