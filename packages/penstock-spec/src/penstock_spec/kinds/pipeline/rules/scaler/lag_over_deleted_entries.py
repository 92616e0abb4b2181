"""A trigger reads lag, but the stream deletes its entries.

Redis computes lag from the numbers of entries added and read. After entries ahead of the group have been deleted, it
answers nil, which KEDA treats as idle. A stream with `until-done` deletes entries all the time.

Read the stream's length, which is exact here: `streamLength`, without a `consumerGroup`.
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
    if subject.spec.stream.retention.keep != "until-done":
        return
    for trigger in scaler.counted_triggers:
        if trigger.mode == "lag":
            line = subject.line("stream.retention.keep")
            message = f"{trigger.label} reads lag, which is nil after entries are deleted (until-done, {line})"
            hint = "read the length: `streamLength`, without `consumerGroup` and `lagCount`"
            yield scaler.problem(message, hint, trigger.at("lagCount"), trigger.place, FORMULA)
