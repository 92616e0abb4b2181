"""Nothing is said about a Redis that answers with errors.

Without a fallback the pods stay at what they are for as long as Redis answers the scaler with errors, such as a
password that was changed or a key of the wrong type. At zero that means zero.

Leave `scaling.fallback` as it is by default, or say how many pods to hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    if scaler.get("spec", "fallback") is None:
        message = "while Redis answers with errors, the pods stay at what they are, even at zero"
        if "??" in scaler.formula:
            message = "one trigger that fails freezes the pods: `??` in the formula counts only with a fallback"
        usual = max(1, subject.spec.scaling.replicas.min)
        hint = f"take it out, for the default of `{{replicas: {usual}}}`"
        if scaler.result.author(("spec", "fallback")):
            hint = "take the patch out"
        yield scaler.problem(message, hint, ("spec", "fallback"))
