"""A patch of the ScaledObject has no effect.

Its path does not exist in the generated ScaledObject, or it adds a field that a ScaledObject does not have, which
Kubernetes drops silently.

Correct the path. The hint names the nearest one, and `penstock show` explains the fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import SpecContext
from penstock_spec.fields import nearest
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

KNOWN_FIELDS = (
    "advanced", "cooldownPeriod", "fallback", "idleReplicaCount", "initialCooldownPeriod", "maxReplicaCount",
    "minReplicaCount", "pollingInterval", "scaleTargetRef", "triggers",
)  # fmt: skip


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    for problem in scaler.result.nowhere:
        *around, field = subject.spec.patches[problem.index].path.split("/")
        absent = (
            around == ["", "spec"] and field in KNOWN_FIELDS and subject.spec.patches[problem.index].op == "replace"
        )
        hint = "use `op: add`, which creates the field" if absent else problem.hint
        yield subject.problem(f"patches[{problem.index}].path", problem.says, hint)
    fields = scaler.get("spec") if scaler.is_changed else None
    for key in fields if isinstance(fields, dict) else ():
        if key not in KNOWN_FIELDS:
            close = nearest(str(key), KNOWN_FIELDS)
            message = f"a ScaledObject has no field `{printable(key)}`, so Kubernetes drops it"
            hint = f"write `/spec/{close}`" if close else "remove the patch"
            by_template = scaler.problem(message, hint, ("spec", key))
            by_patch = scaler.result.author(("spec", key))
            yield subject.problem(f"patches[{by_patch[1]}].path", message, hint) if by_patch else by_template
