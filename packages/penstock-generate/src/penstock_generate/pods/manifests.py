"""The Kubernetes manifests of a spec, each from the template of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from penstock_generate.inputs.plan import DOMAIN, PlannedSpec
from penstock_generate.pods.facts import Facts
from penstock_generate.rendering import yaml_text
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates
from penstock_spec.findings import CannotGoOn
from penstock_spec.patching import patched

KINDS = (
    "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject",
    "ServiceAccount", "TriggerAuthentication",
)  # fmt: skip
"""One file each, named after the kind in lower case."""


def manifests(
    it: PlannedSpec, facts: Facts, templates: Templates, rendered: Mapping[str, Artifact] | None = None
) -> Iterator[Artifact]:
    """A file for each kind of object, and the list of them. `rendered` has manifests that exist already."""
    done = rendered or {}
    values = {"spec": it.spec, "around": it.around, "domain": DOMAIN, **facts.values()}
    own = f"{it.spec.kind}/manifests"
    left_out = _left_out(facts)
    resources = []
    for kind in KINDS:
        if kind not in left_out:
            file = f"{kind.lower()}.yaml"
            resources.append(file)
            manifest_file = done.get(kind) or templates.artifact(
                f"{it.folder}/manifests/{file}", f"{own}/{file}", values
            )
            yield with_patches(manifest_file, kind, it)
        else:
            _refuse_patches(kind, it)
    # This is a second ConfigMap. Patches with the target ConfigMap apply to the first one only.
    resources.append("dashboard.yaml")
    yield templates.artifact(f"{it.folder}/manifests/dashboard.yaml", f"{own}/dashboard.yaml", values)
    file = "kustomization.yaml"
    yield templates.artifact(f"{it.folder}/manifests/{file}", f"{own}/{file}", {"resources": sorted(resources)})


def _left_out(facts: Facts) -> set[str]:
    """Objects of a scaler, if nothing scales the pods or the scaler brings its own authentication."""
    return {
        *(["ScaledObject"] if facts.scaled_object is None else []),
        *([] if facts.makes_authentication else ["TriggerAuthentication"]),
    }


def _refuse_patches(kind: str, it: PlannedSpec) -> None:
    """Refuse patches of an object that is not generated: they would do nothing."""
    for index, patch in enumerate(it.spec.patches):
        if patch.target == kind:
            at = it.layers.at(("patches", index, "target"))
            message = f"{at}: this patch changes nothing: there is no {kind} in `{it.environment}`"
            raise CannotGoOn(
                message, "write `patches` below those `environments` of the spec that have one, or remove it"
            )


def with_patches(manifest_file: Artifact, kind: str, it: PlannedSpec) -> Artifact:
    """The manifest after the spec's patches; a patch that changes nothing is an error."""
    patches = it.spec.patches
    if not any(patch.target == kind for patch in patches):
        return manifest_file
    manifest: dict[str, Any] = yaml.load(manifest_file.content, yaml.CSafeLoader)
    result = patched(manifest, patches, kind)
    for problem in result.nowhere:
        at = it.layers.at(("patches", problem.index, "path"))
        raise CannotGoOn(f"{at}: this patch of the {kind} changes nothing: {problem.says}", problem.hint)
    return replace(manifest_file, content=yaml_text.document(result.manifest))
