"""The stream's length counts what is long done.

Where history is kept, finished messages stay in the stream, so its length hardly ever falls: the pods go up to the
maximum and stay there, without any work.

Read the group instead, by its lag and its pending entries, or keep messages `until-done`, where the length is the
work left.
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
    for one in scaler.counted:
        if one.mode == "length":
            line = subject.line("stream.retention.keep")
            message = f"{one.called} reads the stream's length, and finished messages stay in it ({line})"
            hint = "give it a `consumerGroup` with `lagCount` or `pendingEntriesCount`, or keep `until-done`"
            yield scaler.problem(message, hint, one.at("consumerGroup"), one.place, FORMULA)
