"""The Kubernetes manifests of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from penstock_generate import text
from penstock_generate.around import image, redis_ports, secret
from penstock_generate.artifact import Artifact
from penstock_generate.kinds.pipeline.worker import Worker
from penstock_generate.plan import DOMAIN, Planned
from penstock_generate.rendering import Templates
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.patching import patched
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment

KINDS = (
    "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject",
    "ServiceAccount", "TriggerAuthentication",
)  # fmt: skip
"""In a file each, by this name in small letters."""


def manifests(it: Planned, worker: Worker, rules: list[dict[str, Any]], templates: Templates) -> Iterator[Artifact]:
    """A file for each, and the list of them."""
    spec: Pipeline = it.spec
    values = {
        "spec": spec,
        "around": it.around,
        "labels": labels(spec),
        "selector": selector(spec),
        "domain": DOMAIN,
        "worker_file": worker.artifact.content,
        "digest": worker.digest,
        "rules": rules,
        "image": image(spec.image, it.around.image_prefix),
        "grace_seconds": grace_seconds(spec),
        "secret": secret(it.around.redis),
        "redis_ports": redis_ports(it.around.redis),
        "scaled_object": scaled_object(spec, it.around),
    }
    resources = []
    for kind in KINDS:
        if kind != "TriggerAuthentication" or needs_authentication(it.around):
            file = f"{kind.lower()}.yaml"
            resources.append(file)
            made = templates.artifact(f"{it.folder}/manifests/{file}", f"pipeline/manifests/{file}", values)
            yield replace(made, content=with_patches(made.content, kind, it))
    file = "kustomization.yaml"
    yield templates.artifact(f"{it.folder}/manifests/{file}", f"pipeline/manifests/{file}", {"resources": resources})


def labels(spec: Pipeline) -> dict[str, str]:
    """Of everything that belongs to a pipeline."""
    return {
        **selector(spec),
        "app.kubernetes.io/part-of": "penstock",
        "app.kubernetes.io/managed-by": "penstock",
        f"{DOMAIN}/team": spec.owner.team,
    }


def selector(spec: Pipeline) -> dict[str, str]:
    """What tells its pods from others. A Deployment's cannot be changed, so it holds what never changes."""
    return {"app.kubernetes.io/name": spec.name, "app.kubernetes.io/component": "worker"}


def grace_seconds(spec: Pipeline) -> int:
    """From SIGTERM to SIGKILL, rounded up."""
    return -(-spec.shutdown.grace.amount // 1000)


def needs_authentication(around: Environment) -> bool:
    """Whether the scaler's authentication is ours to make."""
    auth = around.redis.auth
    return auth is not None and auth.secret is not None and auth.trigger_authentication is None


def with_patches(rendered: str, kind: str, it: Planned) -> str:
    """The manifest after the spec's patches of it; one that finds nothing to change is an error."""
    patches = it.spec.patches
    if not any(patch.target == kind for patch in patches):
        return rendered
    manifest: dict[str, Any] = yaml.load(rendered, yaml.CSafeLoader)
    result = patched(manifest, patches, kind)
    for problem in result.nowhere:
        at = it.layers.at(("patches", problem.index, "path"))
        raise CannotGoOn(f"{at}: this patch of the {kind} changes nothing: {problem.says}", problem.hint)
    return text.document(result.manifest)
