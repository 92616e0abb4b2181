"""The fallback is above the maximum number of pods.

The HPA never exceeds `maxReplicaCount`, so the fallback starts only the maximum.

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
from penstock_spec.values.display import many

FALLBACK, MAXIMUM = ("spec", "fallback", "replicas"), ("spec", "maxReplicaCount")


@spec_rule(Severity.WARNING)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    fallback, most = scaler.integer(*FALLBACK), scaler.integer(*MAXIMUM)
    if fallback is None or most is None or fallback <= most:
        return
    replaced = scaler.is_changed_at(FALLBACK)
    if scaler.min_replicas > most and not (subject.is_set("scaling.fallback.replicas") or replaced):
        return  # its default follows from a minimum above the maximum, which has its own rule
    message = f"the maximum is {many(most, 'pod')} ({scaler.line(MAXIMUM)})"
    hint = f"set it to at most `{most}`" if replaced else f"set `scaling.fallback.replicas` to at most `{most}`"
    yield scaler.problem(message, hint, FALLBACK, MAXIMUM)
