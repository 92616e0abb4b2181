"""A scaling formula fails if the consumer group does not exist.

Reading the pending entries of a missing group is an error, and an error in any trigger makes the whole formula fail:
KEDA then leaves the number of pods unchanged, and a pipeline at zero never wakes. A new stream has no group, and a
deleted stream has lost it.

Write `(pending ?? 0)` in the formula and keep `scaling.fallback` with `behavior: scalingModifiers`. Only both together
let a failed trigger count as 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.scaler.formula import tolerates_missing
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.min_replicas > 0 or not scaler.formula:
        return
    for trigger in scaler.counted_triggers:
        if trigger.mode != "pending":
            continue
        if not tolerates_missing(scaler.formula, trigger.name):
            message = f"while the group is missing, {trigger.label} fails and so does the formula: zero pods never wake"
            yield scaler.problem(message, f"write `({trigger.name} ?? 0)`", FORMULA)
        elif scaler.get("spec", "fallback", "behavior") != "scalingModifiers":
            message = f"the formula fails while the group is missing: `{trigger.name} ?? 0` needs the fallback to work"
            hint = "keep `behavior: scalingModifiers` in the fallback"
            if scaler.get("spec", "fallback") is None:
                by_patch = scaler.result.author(("spec", "fallback"))
                hint = "remove the patch" if by_patch else "remove `scaling.fallback: null`"
            yield scaler.problem(message, hint, ("spec", "fallback"), FORMULA)
