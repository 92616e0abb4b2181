"""KEDA cannot find the variable that a trigger names.

`...FromEnv` is looked up in the environment of the *first* container of the Deployment, and only as a plain value or
as a reference to a secret or a ConfigMap. A variable of a sidecar, or one from a `fieldRef`, is empty to KEDA.

Put the variable into the first container, at `/spec/template/spec/containers/0/env`. Better, name a secret under
`redis.auth` of the platform file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock_spec.findings import Severity
from penstock_spec.kinds.pipeline.scaler.effective import effective, put_into
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.reading import Found
from penstock_spec.rules.define import spec_rule
from penstock_spec.subject import Subject
from penstock_spec.values.words import shown

ENVIRONMENT = ("spec", "template", "spec", "containers", "0", "env")


@spec_rule(Severity.ERROR)
def rule(subject: Subject[Pipeline]) -> Iterator[Found]:
    scaler = effective(subject)
    asked = [
        (one.at(key), value)
        for one in scaler.triggers
        for key, value in one.metadata.items()
        if key.endswith("FromEnv") and isinstance(value, str)
    ]
    there = {one["name"]: one for one in _variables(subject.spec)} if asked else {}
    for place, name in asked:
        source = there.get(name, {}).get("valueFrom")
        if name not in there:
            message = f"the first container has no variable `{shown(name)}`, so this is empty to KEDA"
            yield scaler.problem(
                message, "patch it into `/spec/template/spec/containers/0/env` of the Deployment", place
            )
        elif isinstance(source, dict) and "fieldRef" in source:
            message = f"`{shown(name)}` comes from a `fieldRef`, which KEDA does not read"
            yield scaler.problem(message, "give the variable a plain value, or a `secretKeyRef`", place)


def _variables(spec: Pipeline) -> Iterator[dict[str, Any]]:
    for _, value in put_into(spec.patches, "Deployment", *ENVIRONMENT):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and isinstance(one.get("name"), str):
                yield one
