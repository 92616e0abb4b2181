"""A worker full of the largest messages runs out of memory.

A worker holds the bodies of all it runs, as bytes and again as values. When `work.concurrency` bodies of
`message.max_size` are more than half of `resources.memory`, a burst of large messages ends the pod, and the next pod
meets the same messages.

Lower `max_size` (large data belongs into an object store, with its address in the message) or the concurrency, or
give the pod more memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject


@spec_rule(Severity.WARNING)
def rule(it: Subject[Pipeline]) -> Iterator[Found]:
    """All running messages at their largest fit into half of the pod's memory."""
    size, concurrency, memory = it.spec.message.max_size, it.spec.work.concurrency, it.spec.resources.memory
    together = size * concurrency
    if together * 2 > memory:
        at = it.written("message.max_size", "work.concurrency")
        says = (
            f"{concurrency} messages of {size} are {together}, more than half of the pod's {memory} "
            f"({it.line('resources.memory')})"
        )
        hint = f"lower `{at}`, or set `resources.memory` to at least `{together * 2}`"
        yield it.problem(at, says, hint)
