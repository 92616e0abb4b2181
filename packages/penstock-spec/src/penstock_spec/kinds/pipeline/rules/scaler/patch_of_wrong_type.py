"""A patch puts something else than a number where KEDA takes a number.

The counts of pods and the times of a ScaledObject are whole numbers, and none is below zero. Kubernetes refuses a text,
or KEDA a negative number: the scaler stays as it was before, or is never made, and rules that count with the number
cannot look at it.

Take the patch out and set the field of the spec, or write a whole number.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FIELDS, effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

NUMBERS = (
    ("spec", "minReplicaCount"),
    ("spec", "maxReplicaCount"),
    ("spec", "pollingInterval"),
    ("spec", "cooldownPeriod"),
    ("spec", "fallback", "replicas"),
)


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for place in NUMBERS:
        value, number = scaler.get(*place), scaler.whole(*place)
        if value is not None and (number is None or number < 0):
            message = f"`{place[-1]}` is a whole number from 0 on, and not `{printable(value)}`"
            yield scaler.problem(message, f"take the patch out, and set `{FIELDS[place]}`", place)
