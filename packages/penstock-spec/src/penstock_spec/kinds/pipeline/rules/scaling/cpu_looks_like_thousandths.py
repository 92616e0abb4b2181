"""A CPU request looks like millicores without `m`.

`resources.cpu` is in whole CPUs unless it ends with `m` for millicores: `500` is five hundred CPUs, `500m` is half a
CPU. No node has room for such a pod, so it stays pending, and the backlog grows while the autoscaler requests more
such pods.

Add the `m`. If a worker really needs 64 CPUs or more, write them in millicores too: `64000m`.
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
            "resources.cpu", message, f"write `{cpu.amount // 1000}m`, or `{cpu.amount}m` if you mean whole CPUs"
        )
