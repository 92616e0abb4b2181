"""A scaling formula can become negative.

KEDA passes the result on unchanged, and Kubernetes from 1.34 on treats a negative number as the maximum of pods. A
difference easily becomes negative, because its two numbers are read one after the other.

Write `max(0, ...)` around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import FORMULA, effective
from penstock_spec.kinds.pipeline.scaler.formula import can_be_negative
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if can_be_negative(scaler.formula):
        message = "a difference can be below zero, which Kubernetes treats as the maximum of pods"
        yield scaler.problem(message, "write `max(0, ...)` around it", FORMULA)
