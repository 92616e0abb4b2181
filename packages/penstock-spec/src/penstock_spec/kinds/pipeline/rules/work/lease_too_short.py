"""A lease is so short that healthy workers lose it.

A worker renews its lease every third of it. A pause of a few seconds (a failover of Redis, a busy node, a handler in
a C extension that holds the interpreter's lock) must not look like its death: what it runs would be taken over and
run twice.

Set `work.lease` to at least `10s`; the default of `30s` is right for most.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

SHORTEST = Duration("10s")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    lease = subject.spec.work.lease
    if lease < SHORTEST:
        message = f"it is renewed every third of it, and {SHORTEST} is the least that outlives a short pause"
        yield subject.problem("work.lease", message, f"write `{SHORTEST}` or more; `30s` is the default")
