"""A patch sets a number of the ScaledObject to an invalid value.

Counts of pods and times in a ScaledObject are whole numbers from 0. Kubernetes refuses a text, and KEDA a negative
number: the scaler keeps its previous state or is never created, and rules that use the number cannot check it.

Remove the patch and set the field of the spec, or write a whole number.
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
        value, number = scaler.get(*place), scaler.integer(*place)
        if value is not None and (number is None or number < 0):
            message = f"`{place[-1]}` must be a whole number from 0, not `{printable(value)}`"
            yield scaler.problem(message, f"remove the patch and set `{FIELDS[place]}`", place)
