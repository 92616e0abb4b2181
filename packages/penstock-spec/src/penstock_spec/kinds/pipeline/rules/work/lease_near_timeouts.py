"""One slow answer of Redis can cost a worker its lease.

A lease is renewed every third of it, and at the slowest a renewal waits for a connection, makes one and waits for the
answer: the three `redis.timeouts` of the platform file. With a third of the lease at least as long as these together,
a renewal may fail at its slowest, and the next, at its slowest, still comes before the end. With less, one that
failed is enough: the worker cancels what it runs, and others run it again.

Make `work.lease` at least three times as long as the timeouts together, or shorten the timeouts.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.rules.work.lease_too_short import SHORTEST
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    lease, timeouts = subject.spec.work.lease, subject.platform.redis.timeouts
    slowest = timeouts.wait + timeouts.connect + timeouts.answer
    needed = slowest * 3
    if lease < needed and not lease < SHORTEST:  # a shorter one has a rule of its own
        message = (
            f"the redis timeouts for waiting, connecting and answering are {slowest} together "
            f"({subject.platform_line('redis.timeouts')}), longer than a third of {lease}"
        )
        yield subject.problem("work.lease", message, f"set `work.lease` to at least `{needed}`")
