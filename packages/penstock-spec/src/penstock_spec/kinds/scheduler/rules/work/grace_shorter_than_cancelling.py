"""The grace period is shorter than the time to cancel jobs.

A pod that shuts down cancels its jobs, waits for them (`shutdown.cancel`), waits again for those that ignored the
cancellation (`shutdown.force`), and gives back the jobs that it holds. If Kubernetes kills it earlier, its jobs become
due again only after its lease has expired.

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

GIVING_BACK = Duration("5s")
"""The time to give jobs back at the end."""


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    shutdown = subject.spec.shutdown
    needed = Duration.of(shutdown.cancel.amount + shutdown.force.amount + GIVING_BACK.amount)
    if shutdown.grace < needed:
        message = (
            f"cancelling may take {shutdown.cancel} ({subject.line('shutdown.cancel')}) and {shutdown.force} "
            f"({subject.line('shutdown.force')}), and giving jobs back takes another {GIVING_BACK}"
        )
        at = subject.first_set("shutdown.grace", "shutdown.cancel", "shutdown.force")
        yield subject.problem(at, message, f"set `shutdown.grace` to at least `{needed}`")
