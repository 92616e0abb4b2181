"""Several triggers without a formula are not added up.

Without a formula each trigger is a metric of its own, and the HPA takes the largest answer. Lag beside pending is
then too little by up to a half, and parked messages, which a formula takes off, ask for pods that can do nothing yet.

Leave the generated formula in place, or write one that names them all.
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
    modes = {one.mode: one for one in reversed(scaler.triggers)}
    hint = "leave the formula in `/spec/advanced/scalingModifiers`, or write one that names them all"
    if "lag" in modes and "pending" in modes:
        message = (
            f"{modes['lag'].called} and {modes['pending'].called} stand side by side: the larger counts, not their sum"
        )
        yield scaler.problem(message, hint, FORMULA, TRIGGERS)
    elif "list" in modes and len(scaler.triggers) > 1:
        message = f"{modes['list'].called} asks for pods of its own: without a formula the largest number counts"
        yield scaler.problem(message, hint, FORMULA, TRIGGERS)
