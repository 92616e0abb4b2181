"""A trigger's stream length includes finished messages.

If a stream keeps finished messages, its length hardly ever falls: the pods scale up to the maximum and stay there
without any work.

Read the group's lag and pending entries instead, or keep messages `until-done`, where the length is the remaining
work.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if subject.spec.stream.retention.keep == "until-done":
        return
    for trigger in scaler.counted_triggers:
        if trigger.mode == "length":
            line = subject.line("stream.retention.keep")
            message = f"{trigger.label} reads the stream's length, which includes finished messages ({line})"
            hint = "give it a `consumerGroup` with `lagCount` or `pendingEntriesCount`, or keep `until-done`"
            yield scaler.problem(message, hint, trigger.at("consumerGroup"), trigger.place, FORMULA)
