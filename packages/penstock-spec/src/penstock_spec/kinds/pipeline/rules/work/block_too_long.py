"""The blocking read is too long to notice a dead connection.

A blocking read is silent until a message arrives or `work.block` ends. If its connection is lost without a notice (a
failover, a dead node, a gateway that drops idle connections, some after a few minutes), the worker notices only after
that time plus `redis.timeouts.answer`. Until then it reads nothing but looks healthy, because it renews its lease on
another connection.

Set `work.block` to a minute or less; the default of `5s` is right for most pipelines. A longer wait gains nothing: a
read that returns empty is one small command.
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
        unaware = block + subject.platform.redis.timeouts.answer
        message = f"a worker that silently lost its connection reads nothing for up to {unaware}"
        yield subject.problem("work.block", message, f"set `work.block` to `{LONGEST}` or less; the default is `5s`")
