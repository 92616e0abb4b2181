"""The first messages do not wake a sleeping pipeline.

KEDA leaves zero only when the number is *above* the activation value. With 1, a single message waits until a second
one comes, which may take hours where there is little traffic.

Leave activation at 0. To start fewer pods, raise `scaling.backlog_per_replica`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import MODIFIERS, EffectiveScaler, effective
from penstock_spec.kinds.pipeline.scaler.trigger import ACTIVATION, amount
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Path, Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.least > 0:
        return
    if not scaler.formula:
        for one in scaler.triggers:
            if key := one.positive(*ACTIVATION):
                yield _problem(scaler, one.metadata[key], one.at(key))
        return
    # Beside a formula the activations of single triggers count for nothing.
    target = scaler.get(*MODIFIERS, "activationTarget")
    if (amount(target) or 0) >= 1:
        yield _problem(scaler, target, (*MODIFIERS, "activationTarget"))


def _problem(scaler: EffectiveScaler, value: object, place: Path) -> Problem:
    message = f"it wakes only above `{printable(value)}`, so the first messages wait for others to come"
    return scaler.problem(message, 'write `"0"`, or take it out', place)
