"""The chart's values for a pipeline: with them `templates/chart` gives the same objects as `manifests/`."""

from __future__ import annotations

from typing import Any

from penstock_generate.artifact import Artifact
from penstock_generate.kinds.pipeline.facts import Facts
from penstock_generate.plan import Planned
from penstock_generate.text import document
from penstock_spec.care import Patch
from penstock_spec.kinds.pipeline.spec import Pipeline


def values(it: Planned, facts: Facts) -> Artifact:
    """The file."""
    return Artifact(f"{it.folder}/values.yaml", document(_values(it, facts)), __name__)


def _values(it: Planned, facts: Facts) -> dict[str, Any]:
    spec: Pipeline = it.spec
    return {
        "name": spec.name,
        "namespace": it.around.namespace,
        "team": spec.owner.team,
        "image": facts.image,
        "resources": {"cpu": spec.resources.cpu, "memory": spec.resources.memory},
        "graceSeconds": facts.grace_seconds,
        "redis": _redis(facts),
        "scaledObject": {
            "annotations": facts.scaled_object["metadata"].get("annotations", {}),
            "spec": facts.scaled_object["spec"],
        },
        "rules": facts.rules,
        "patches": [_patch(one) for one in spec.patches],
        "dashboard": {"folder": it.around.dashboard_folder, "json": facts.dashboard},
        "workerFile": facts.worker_file,
    }


def _redis(facts: Facts) -> dict[str, Any]:
    secret = {"secret": {"name": facts.secret.name, "key": facts.secret.key}} if facts.secret else {}
    return {"ports": facts.redis_ports, **secret, "triggerAuthentication": facts.makes_authentication}


def _patch(patch: Patch) -> dict[str, Any]:
    """The chart applies it to its own objects, so that a value that is changed counts in those that are patched too."""
    value = {} if patch.op == "remove" else {"value": patch.value}
    return {"target": patch.target, "op": patch.op, "path": patch.path, **value}
