"""A trigger reads another number than its metadata suggests.

The metadata of a stream trigger decides what KEDA reads, and KEDA does not report it. Without `consumerGroup` it is the
stream's length, with the target `streamLength`. With `consumerGroup` it is the lag if `lagCount` is set and not 0, and
otherwise the pending entries, with the target `pendingEntriesCount`. KEDA ignores keys of the other modes, and a
missing target becomes 5.

Give each trigger the keys of one mode only.
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
    for trigger in scaler.triggers:
        own = BELONGS.get(trigger.mode)
        if own is None:
            continue
        ignored = next((key for key in BELONGS.values() if key != own and key in trigger.metadata), None)
        why = "with" if trigger.mode != "length" else "without"
        if ignored:
            message = f"{why} a `consumerGroup`, {trigger.label} reads {READS[trigger.mode]}, so `{ignored}` is ignored"
            hint = f"remove `{ignored}`" + ("" if own in trigger.metadata else f", or replace it with `{own}`")
            yield scaler.problem(message, hint, trigger.at(ignored), trigger.at("consumerGroup"), trigger.place)
        elif own not in trigger.metadata and not scaler.formula:
            message = f"{trigger.label} reads {READS[trigger.mode]}, and its target silently becomes 5"
            yield scaler.problem(message, f"set `{own}`", trigger.at(own), trigger.place, FORMULA)
