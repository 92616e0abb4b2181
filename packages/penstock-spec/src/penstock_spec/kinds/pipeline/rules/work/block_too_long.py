"""A read waits so long that a dead connection is noticed late.

A blocking read is silent until a message comes or `work.block` is over. When its connection was cut without a word (a
failover, a node that is gone, a gateway that forgets what is idle, some after a few minutes), nothing tells the worker
until that time and `redis.timeouts.answer` have gone by. Till then it reads nothing, and looks well: its lease is
renewed on another connection.

A longer wait gains nothing: a read that comes back empty is one small command. Write a minute or less; the default of
`5s` is right for most.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Duration

LONGEST = Duration("1m")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    block = subject.spec.work.block
    if block > LONGEST:
        deaf = block + subject.platform.redis.timeouts.answer
        message = f"a worker whose connection was cut in silence reads nothing for up to {deaf}"
        yield subject.problem("work.block", message, f"write `{LONGEST}` or less; `5s` is the default")
