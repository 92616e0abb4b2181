"""The lease is so short that healthy scheduler pods lose it.

A pod renews its lease each time a third of it has passed. A pause of a few seconds (a Redis failover, a busy node, a
job that holds Python's interpreter lock) must not look like a crash: its jobs would become due again and run in two
places.

Set `work.lease` to at least `10s`; the default of `30s` is right for most schedulers.
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
        message = f"a lease below {SHORTEST} does not survive a short pause"
        yield subject.problem("work.lease", message, f"set `work.lease` to `{SHORTEST}` or more; the default is `30s`")
