"""Child processes may use more memory than the pod has.

With `isolation: process` each of `work.concurrency` child processes may use `work.memory_limit`. If all of them
together exceed `resources.memory`, the kernel can kill the whole pod, including messages that are within their limits.

Give the pod enough memory for all child processes and the worker itself, or lower the limit or the concurrency.
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
        processes = "1 child process" if work.concurrency == 1 else f"{work.concurrency} child processes"
        message = (
            f"{processes} may use {together}{' together' if work.concurrency > 1 else ''}, but the pod has {memory} "
            f"({subject.line('resources.memory')})"
        )
        yield subject.problem("work.memory_limit", message, f"set `resources.memory` to more than `{together}`")
