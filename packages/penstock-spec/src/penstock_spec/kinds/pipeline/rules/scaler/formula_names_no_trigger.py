"""A scaling formula uses an unknown trigger name.

KEDA refuses a ScaledObject whose formula uses a name that no trigger has. That happens when a trigger is renamed or
removed without changing the formula.

Use the name of a trigger, or patch the formula together with the triggers.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, TRIGGERS, effective
from penstock_spec.kinds.pipeline.scaler.formula import names_in
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if not scaler.is_changed:
        return
    known = [one.name for one in scaler.triggers if one.name]
    for name in sorted(names_in(scaler.formula) - set(known)):
        names = ", ".join(f"`{printable(one)}`" for one in known)
        message = f"the formula uses `{printable(name)}`, but no trigger has this name"
        yield scaler.problem(message, f"use one of {names}" if known else "keep the triggers", FORMULA, TRIGGERS)
