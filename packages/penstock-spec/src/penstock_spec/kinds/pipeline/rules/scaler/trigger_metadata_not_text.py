"""A value in a trigger's metadata is not text.

Trigger metadata maps texts to texts. Kubernetes refuses the whole ScaledObject if a value is a number or `true`.

Quote the value.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for trigger in scaler.triggers:
        for key, value in trigger.metadata.items():
            if isinstance(value, str):
                continue
            message = f"`{printable(key)}` of {trigger.label} is not text, so Kubernetes refuses it"
            if isinstance(value, (bool, int, float)):
                plain = str(value).lower() if isinstance(value, bool) else printable(value)
                yield scaler.problem(message, f'quote it: `"{plain}"`', trigger.at(key))
            else:
                yield scaler.problem(message, "write a quoted text", trigger.at(key))
