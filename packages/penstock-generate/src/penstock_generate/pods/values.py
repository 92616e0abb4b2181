"""The chart's values for a spec: `templates/chart` renders them to the same objects as `manifests/`."""

from __future__ import annotations

from typing import Any

from penstock_generate.inputs.plan import PlannedSpec
from penstock_generate.pods.facts import Facts
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.yaml_text import document
from penstock_spec.sections import Patch


def values(it: PlannedSpec, facts: Facts, scaled_object: dict[str, Any] | None = None) -> Artifact:
    """The file. The ScaledObject is the one before patches: the chart applies patches itself."""
    return Artifact(f"{it.folder}/values.yaml", document(_values(it, facts, scaled_object)), __name__)


def _values(it: PlannedSpec, facts: Facts, scaled_object: dict[str, Any] | None) -> dict[str, Any]:
    spec = it.spec
    return {
        "name": spec.name,
        "namespace": it.around.namespace,
        "team": spec.owner.team,
        "image": facts.image,
        "resources": {"cpu": spec.resources.cpu, "memory": spec.resources.memory},
        "graceSeconds": facts.grace_seconds,
        "role": facts.role,
        "args": facts.args,
        **_replicas(facts, scaled_object),
        "redis": _redis(facts),
        "sendsTo": facts.sends_to,
        "egress": facts.egress,
        "foundBy": it.around.found_by.model_dump(),
        "rules": facts.rules,
        "patches": [_patch(one) for one in spec.patches],
        "dashboard": {"folder": it.around.dashboard_folder, "json": facts.dashboard},
        "workerFile": facts.worker_file,
    }


def _replicas(facts: Facts, scaled_object: dict[str, Any] | None) -> dict[str, Any]:
    """A fixed number of pods, or what scales them."""
    if scaled_object is None:
        return {"replicas": facts.replicas}
    annotations = scaled_object.get("metadata", {}).get("annotations", {})
    return {"scaledObject": {"annotations": annotations, "spec": scaled_object.get("spec", {})}}


def _redis(facts: Facts) -> dict[str, Any]:
    secret: dict[str, Any] = {"secret": {"name": facts.secret.name, "key": facts.secret.key}} if facts.secret else {}
    if (given := facts.certificate) is not None:
        authorities = {"authoritiesKey": given.authorities_key} if given.authorities_key else {}
        keys = {"certificateKey": given.certificate_key, "privateKeyKey": given.private_key_key}
        secret |= {"certificate": {"secret": given.secret, **keys, **authorities}}
    return {"ports": facts.redis_ports, **secret, "triggerAuthentication": facts.makes_authentication}


def _patch(patch: Patch) -> dict[str, Any]:
    """A patch for the chart, which applies it to its own objects, so that changed values are patched too."""
    value = {} if patch.op == "remove" else {"value": patch.value}
    return {"target": patch.target, "op": patch.op, "path": patch.path, **value}
