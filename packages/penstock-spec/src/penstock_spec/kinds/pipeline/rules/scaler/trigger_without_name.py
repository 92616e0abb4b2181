"""A trigger beside a formula has no name.

A formula calls triggers by their names. KEDA refuses a ScaledObject that has a formula and an external trigger
without a name.

Name the trigger, and use the name in the formula.
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
    for one in scaler.triggers if scaler.formula else ():
        if not one.name:
            message = f"{one.called} has no name, and beside a formula KEDA refuses it"
            yield scaler.problem(
                message, "give it a `name`, and use that in the formula", (*one.place, "name"), one.place
            )
