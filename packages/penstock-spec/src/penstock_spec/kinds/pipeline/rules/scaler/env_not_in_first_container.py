"""KEDA cannot read the environment variable that a trigger names.

KEDA looks up `...FromEnv` in the *first* container of the Deployment, and only as a plain value or a reference to a
secret or ConfigMap. A variable of a sidecar, or one from a `fieldRef`, is empty to KEDA.

Add the variable to the first container, at `/spec/template/spec/containers/0/env`. Better, name a secret under
`redis.auth` in the platform file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_spec.context import SpecContext
from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective, patched_values
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Problem
from penstock_spec.rules.define import spec_rule
from penstock_spec.values.strings import printable

ENVIRONMENT = ("spec", "template", "spec", "containers", "0", "env")


@spec_rule(Severity.ERROR)
def rule(subject: SpecContext[Pipeline]) -> Iterator[Problem]:
    scaler = effective(subject)
    used = [
        (one.at(key), value)
        for one in scaler.triggers
        for key, value in one.metadata.items()
        if key.endswith("FromEnv") and isinstance(value, str)
    ]
    variables = {one["name"]: one for one in _variables(subject.spec)} if used else {}
    for place, name in used:
        source = variables.get(name, {}).get("valueFrom")
        if name not in variables:
            message = f"the first container has no variable `{printable(name)}`, so it is empty to KEDA"
            yield scaler.problem(
                message, "add it to `/spec/template/spec/containers/0/env` of the Deployment with a patch", place
            )
        elif isinstance(source, dict) and "fieldRef" in source:
            message = f"`{printable(name)}` comes from a `fieldRef`, which KEDA does not read"
            yield scaler.problem(message, "give the variable a plain value or a `secretKeyRef`", place)


def _variables(spec: Pipeline) -> Iterator[dict[str, Any]]:
    for _, value in patched_values(spec.patches, "Deployment", *ENVIRONMENT):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and isinstance(one.get("name"), str):
                yield one
