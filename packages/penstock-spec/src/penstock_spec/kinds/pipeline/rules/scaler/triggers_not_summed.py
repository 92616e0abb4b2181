"""Several triggers without a formula are not added up.

Without a formula each trigger is a separate metric, and the HPA uses the largest result. Of lag and pending entries it
uses the larger instead of the sum, which can be half of it. Parked messages, which a formula subtracts, start pods
that have nothing to do yet.

Keep the generated formula, or write one that names all triggers.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, TRIGGERS, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.formula:
        return
    modes = {trigger.mode: trigger for trigger in reversed(scaler.triggers)}
    hint = "keep the formula in `/spec/advanced/scalingModifiers`, or write one that names all triggers"
    if "lag" in modes and "pending" in modes:
        lag, pending = modes["lag"].label, modes["pending"].label
        message = f"{lag} and {pending} are separate metrics: the larger counts, not their sum"
        yield scaler.problem(message, hint, FORMULA, TRIGGERS)
    elif "list" in modes and len(scaler.triggers) > 1:
        message = f"{modes['list'].label} is a separate metric: without a formula the largest number counts"
        yield scaler.problem(message, hint, FORMULA, TRIGGERS)
