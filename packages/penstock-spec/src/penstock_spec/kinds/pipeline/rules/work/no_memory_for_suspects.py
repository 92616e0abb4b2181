"""The pod has no memory to isolate suspects.

A message whose worker was lost is a suspect. It runs in a child process, so that a crash affects no other message. With
`isolation: none` this needs memory for three processes: the worker, a fork server that imports the handler again, and
the child. If `resources.memory` is too small for them, a worker runs suspects one at a time, alone and in its own
process. Each of them then waits until the worker is empty, and a handler that crashes takes the worker with it.

The sum has about 48 MiB for a worker, 32 MiB for a fork server and 8 MiB for a child, and twice `message.max_size` for
each message: as bytes and as a value. What a handler needs for its imports and its work comes on top, the imports
twice. Give the pod more memory, or lower `max_size` or the concurrency.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Size

MEBIBYTE = 1 << 20
WORKER, FORK_SERVER, CHILD = Size("48Mi"), Size("32Mi"), Size("8Mi")


@spec_rule(Severity.INFO)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    work, size, memory = subject.spec.work, subject.spec.message.max_size, subject.spec.resources.memory
    if work.isolation != "none" or size * work.concurrency * 2 > memory:  # then `max-size-above-memory` says so
        return
    processes = WORKER.amount + FORK_SERVER.amount + CHILD.amount
    bodies = 2 * size.amount * (work.concurrency + 1)
    if processes + bodies > memory.amount:
        at = subject.first_set("resources.memory", "message.max_size", "work.concurrency")
        needed = Size.of(-(-(processes + bodies) // MEBIBYTE) * MEBIBYTE)
        message = (
            f"a worker, a fork server and a child with bodies of {size} need {needed} without the handler, "
            f"but the pod has {memory}, so suspects run one at a time and not isolated"
        )
        yield subject.problem(at, message, f"set `resources.memory` to at least `{needed}`")
