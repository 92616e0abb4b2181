"""A pod asks for more CPUs than a machine has.

`resources.cpu` counts whole CPUs unless an `m` follows, which makes it thousandths: `500` is five hundred CPUs, `500m`
is half of one. No node has room for such a pod, so it stays pending for ever, and the backlog grows while the
autoscaler asks for more pods like it.

Write the `m`. Where a worker does need 64 CPUs or more, write those in thousandths as well: `64000m`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.quantities import Cpu

MANY = Cpu("64")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    cpu = subject.spec.resources.cpu
    if not cpu < MANY and not cpu.text.endswith("m"):
        message = f"`{cpu}` is {cpu.amount // 1000:,} whole CPUs"
        yield subject.problem(
            "resources.cpu", message, f"write `{cpu.amount // 1000}m`, or `{cpu.amount}m` if that is meant"
        )
