"""A lease is so short that healthy pods lose it.

A pod renews its lease every third of it. A pause of a few seconds (a failover of Redis, a busy node, a job that holds
the interpreter's lock) must not look like its death: what it runs would become due again, and run in two places.

Set `work.lease` to at least `10s`; the default of `30s` is right for most.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.scheduler.spec import Scheduler
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

SHORTEST = Duration("10s")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Scheduler]) -> Iterator[Problem]:
    if subject.spec.work.lease < SHORTEST:
        message = f"it is renewed every third of it, and {SHORTEST} is the least that outlives a short pause"
        yield subject.problem("work.lease", message, f"write `{SHORTEST}` or more; `30s` is the default")
