"""A worker full of the largest messages runs out of memory.

A worker holds the bodies of all it runs, as bytes and again as values. When `work.concurrency` bodies of
`message.max_size` are more than half of `resources.memory`, a burst of large messages ends the pod, and the next pod
meets the same messages.

Lower `max_size` (large data belongs into an object store, with its address in the message) or the concurrency, or
give the pod more memory.
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
    size, concurrency, memory = (
        subject.spec.message.max_size,
        subject.spec.work.concurrency,
        subject.spec.resources.memory,
    )
    together = size * concurrency
    if together * 2 > memory:
        at = subject.written("message.max_size", "work.concurrency")
        message = (
            f"{concurrency} messages of {size} are {together}, more than half of the pod's {memory} "
            f"({subject.line('resources.memory')})"
        )
        hint = f"lower `{at}`, or set `resources.memory` to at least `{together * 2}`"
        yield subject.problem(at, message, hint)
