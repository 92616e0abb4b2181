"""The fallback is above the maximum number of pods.

The HPA never exceeds `maxReplicaCount`, so the fallback starts the maximum and not the number it says.

Set the fallback to at most `scaling.replicas.max`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule

HELD, MOST = ("spec", "fallback", "replicas"), ("spec", "maxReplicaCount")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    held, most = scaler.integer(*HELD), scaler.integer(*MOST)
    if held is None or most is None or held <= most:
        return
    replaced = scaler.is_changed_at(HELD)
    if scaler.min_replicas > most and not (subject.given("scaling.fallback.replicas") or replaced):
        return  # its default follows from a minimum above the maximum, which has its own rule
    message = f"the maximum is {most} pods ({scaler.line(MOST)})"
    hint = f"set it to at most `{most}`" if replaced else f"set `scaling.fallback.replicas` to at most `{most}`"
    yield scaler.problem(message, hint, HELD, MOST)
