"""Large messages can exceed the pod's memory.

A worker holds the bodies of all running messages, as bytes and as parsed values. If `work.concurrency` bodies of
`message.max_size` need more than half of `resources.memory`, a burst of large messages kills the pod, and the next pod
receives the same messages.

Lower `max_size` (put large data into an object store and its address into the message), lower the concurrency, or give
the pod more memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.display import many


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    size, concurrency, memory = (
        subject.spec.message.max_size,
        subject.spec.work.concurrency,
        subject.spec.resources.memory,
    )
    together = size * concurrency
    if together * 2 > memory:
        at = subject.first_set("message.max_size", "work.concurrency")
        message = (
            f"{many(concurrency, 'message')} of {size} {'needs' if concurrency == 1 else 'need'} {together}, "
            f"more than half of the pod's {memory} ({subject.line('resources.memory')})"
        )
        hint = f"lower `{at}`, or set `resources.memory` to at least `{together * 2}`"
        yield subject.problem(at, message, hint)
