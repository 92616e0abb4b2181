"""The pod runs out of memory before a handler reaches its limit.

With `isolation: process` each of `work.concurrency` child processes may take `work.memory_limit`. When all of them
together may take more than `resources.memory`, the kernel can kill the whole pod, and with it the messages that were
well within their limits.

Give the pod memory for all of its children, or lower the limit or the concurrency. The worker itself needs some as
well.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    work, memory = subject.spec.work, subject.spec.resources.memory
    if work.memory_limit is None or work.isolation != "process":
        return
    together = work.memory_limit * work.concurrency
    if together > memory:
        message = (
            f"{work.concurrency} child processes may take {together} together, and the pod has {memory} "
            f"({subject.line('resources.memory')})"
        )
        yield subject.problem("work.memory_limit", message, f"set `resources.memory` to more than `{together}`")
