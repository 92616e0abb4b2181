"""The messages of a lost worker wait long for another.

A worker that is killed, or whose node is gone, says nothing more. What it was running is taken over only when its
lease is over, so that every message it held waits that long, whatever their age. The age at which an alert is told
goes by meanwhile.

A lease need not be as long as the work: a living worker renews it every third of it, from a thread of its own, for as
long as a handler runs. Write a minute or less; the default of `30s` is right for most.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

LONGEST = Duration("5m")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    lease = subject.spec.work.lease
    if lease > LONGEST:
        message = f"what a lost worker held is taken over after {lease}, and a lease need not outlast the work"
        yield subject.problem("work.lease", message, f"write `{LONGEST}` or less; `30s` is the default")
