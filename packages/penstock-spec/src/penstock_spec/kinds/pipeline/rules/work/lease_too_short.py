"""The lease is so short that healthy workers lose it.

A worker renews its lease each time a third of it has passed. A pause of a few seconds (a Redis failover, a busy node,
a C extension that holds Python's interpreter lock) must not look like a crash: other workers would take over its
messages and run them a second time.

Set `work.lease` to at least `10s`; the default of `30s` is right for most pipelines.
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
        message = f"a lease below {SHORTEST} does not survive a short pause"
        yield subject.problem("work.lease", message, f"set `work.lease` to `{SHORTEST}` or more; the default is `30s`")
