"""Without its consumer group the formula fails, and nothing wakes.

Reading the pending entries of a group that does not exist is an error, and an error in any trigger makes the whole
formula fail: KEDA then leaves the pods as they are, and zero stays zero. A new stream has no group, and a stream that
was deleted has none any more.

Write `(pending ?? 0)` in the formula and keep `scaling.fallback`, with the behavior `scalingModifiers`: only both
together let a failed trigger count as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.scaler.formula import bears_absence
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.least > 0 or not scaler.formula:
        return
    for one in scaler.counted:
        if one.mode != "pending":
            continue
        if not bears_absence(scaler.formula, one.name):
            message = (
                f"the formula fails while the group is missing, because {one.called} is then an error: zero stays zero"
            )
            yield scaler.problem(message, f"write `({one.name} ?? 0)`", FORMULA)
        elif scaler.get("spec", "fallback", "behavior") != "scalingModifiers":
            message = (
                f"the formula fails while the group is missing: `{one.name} ?? 0` counts only with a fallback for it"
            )
            hint = "leave `behavior: scalingModifiers` in the fallback"
            if scaler.get("spec", "fallback") is None:
                by_patch = scaler.result.author(("spec", "fallback"))
                hint = "take the patch out" if by_patch else "take `scaling.fallback: null` out"
            yield scaler.problem(message, hint, ("spec", "fallback"), FORMULA)
