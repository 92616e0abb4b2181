"""A trigger reads another number than its metadata says.

KEDA decides in silence what a stream trigger reads. Without `consumerGroup` it is the stream's length, against
`streamLength`. With one it is the lag where `lagCount` is there and not 0, and otherwise the pending entries, against
`pendingEntriesCount`. What belongs to another way of reading is ignored, and a target that is missing becomes 5.

Give each trigger the keys of one way of reading, and no others.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule

BELONGS = {"length": "streamLength", "lag": "lagCount", "pending": "pendingEntriesCount"}
READS = {"length": "the length of the stream", "lag": "the group's lag", "pending": "the group's pending entries"}


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for one in scaler.triggers:
        own = BELONGS.get(one.mode)
        if own is None:
            continue
        ignored = next((key for key in BELONGS.values() if key != own and key in one.metadata), None)
        why = "with" if one.mode != "length" else "without"
        if ignored:
            message = (
                f"{why} a `consumerGroup`, {one.called} reads {READS[one.mode]}, so `{ignored}` counts for nothing"
            )
            hint = f"take `{ignored}` out" + ("" if own in one.metadata else f", or write `{own}` in its place")
            yield scaler.problem(message, hint, one.at(ignored), one.at("consumerGroup"), one.place)
        elif own not in one.metadata and not scaler.formula:
            message = f"{one.called} reads {READS[one.mode]}, and its target silently becomes 5"
            yield scaler.problem(message, f"say `{own}`", one.at(own), one.place, FORMULA)
