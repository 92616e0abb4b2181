"""A fractional target disables the fallback.

KEDA computes the fallback from the target of the formula, and only if that is a whole number. With a fraction it
silently ignores the fallback.

Use a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import MODIFIERS, effective
from penstock_spec.kinds.pipeline.scaler.trigger import amount
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    target = scaler.get(*MODIFIERS, "target")
    if target is None or scaler.get("spec", "fallback") is None:
        return
    value = amount(target)
    if value is None or not value.is_integer():
        message = f"`{printable(target)}` is not a whole number, so KEDA silently ignores `scaling.fallback`"
        yield scaler.problem(message, 'write a whole number, such as `"32"`', (*MODIFIERS, "target"))
