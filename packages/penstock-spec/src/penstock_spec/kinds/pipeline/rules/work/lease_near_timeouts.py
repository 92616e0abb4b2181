"""The lease is too short for the Redis timeouts.

A worker renews its lease each time a third of it has passed. In the worst case, a renewal opens a new connection
and waits for the answer: the two `redis.timeouts` in the platform file. If a third of the lease is at least as long
as the two together, one renewal may fail and the next still comes in time. If it is shorter, one failed renewal is
enough to lose the lease: the worker cancels its messages, and other workers run them again.

Set `work.lease` to at least three times the sum of the timeouts, or shorten the timeouts.
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
    slowest = timeouts.connect + timeouts.answer
    needed = slowest * 3
    if lease < needed and not lease < SHORTEST:  # `lease-too-short` reports a shorter one
        message = (
            f"connecting and answering may take {slowest} together "
            f"({subject.platform_line('redis.timeouts')}), more than a third of {lease}"
        )
        yield subject.problem("work.lease", message, f"set `work.lease` to at least `{needed}`")
