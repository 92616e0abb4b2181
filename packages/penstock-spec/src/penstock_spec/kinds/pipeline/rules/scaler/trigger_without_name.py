"""A trigger used with a formula has no name.

A formula refers to triggers by name. KEDA refuses a ScaledObject with a formula if an external trigger has no name.

Name the trigger and use the name in the formula.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for trigger in scaler.triggers if scaler.formula else ():
        if not trigger.name:
            message = f"{trigger.label} has no name, which KEDA refuses with a formula"
            yield scaler.problem(
                message, "give it a `name` and use that in the formula", (*trigger.place, "name"), trigger.place
            )
