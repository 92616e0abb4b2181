"""The first messages do not wake a pipeline from zero.

KEDA scales up from zero only if the number is *above* the activation value. With 1, a single message waits until a
second one arrives, which may take hours in quiet periods.

Leave the activation at 0. To start fewer pods, raise `scaling.backlog_per_replica`.
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
    if scaler.min_replicas > 0:
        return
    if not scaler.formula:
        for trigger in scaler.triggers:
            if key := trigger.positive(*ACTIVATION):
                yield _problem(scaler, trigger.metadata[key], trigger.at(key))
        return
    # With a formula, KEDA ignores the activations of single triggers.
    target = scaler.get(*MODIFIERS, "activationTarget")
    if (amount(target) or 0) >= 1:
        yield _problem(scaler, target, (*MODIFIERS, "activationTarget"))


def _problem(scaler: EffectiveScaler, value: object, place: Path) -> Problem:
    message = f"KEDA scales from zero only above `{printable(value)}`, so the first messages wait for more"
    return scaler.problem(message, 'set it to `"0"`, or remove it', place)
