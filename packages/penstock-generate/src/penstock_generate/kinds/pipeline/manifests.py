"""The Kubernetes manifests of a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from penstock_generate import text
from penstock_generate.artifact import Artifact
from penstock_generate.kinds.pipeline.dashboard import Drawn
from penstock_generate.kinds.pipeline.worker import Worker
from penstock_generate.plan import DOMAIN, Planned
from penstock_generate.rendering import Templates
from penstock_spec.findings import CannotGoOn
from penstock_spec.kinds.pipeline.scaler.patching import patched
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment, Redis

KINDS = (
    "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "ScaledObject",
    "ServiceAccount", "TriggerAuthentication",
)  # fmt: skip
"""In a file each, by this name in small letters."""


def manifests(
    it: Planned, worker: Worker, rules: list[dict[str, Any]], dashboard: Drawn, templates: Templates
) -> Iterator[Artifact]:
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
        "dashboard": dashboard.compact,
        "image": image(spec.image, it.around.image_prefix),
        "grace_seconds": -(-spec.shutdown.grace.amount // 1000),
        "secret": secret(it.around.redis),
        "redis_ports": sorted({int(address.rpartition(":")[2]) for address in it.around.redis.addresses}),
        "scaled_object": scaled_object(spec, it.around),
    }
    resources = []
    for kind in KINDS:
        if kind != "TriggerAuthentication" or needs_authentication(it.around):
            file = f"{kind.lower()}.yaml"
            resources.append(file)
            made = templates.artifact(f"{it.folder}/manifests/{file}", f"pipeline/manifests/{file}", values)
            yield replace(made, content=with_patches(made.content, kind, it))
    # The second ConfigMap: patches of a ConfigMap are of the worker's, so it goes by another name and has none.
    resources.append("dashboard.yaml")
    yield templates.artifact(f"{it.folder}/manifests/dashboard.yaml", "pipeline/manifests/dashboard.yaml", values)
    file = "kustomization.yaml"
    yield templates.artifact(
        f"{it.folder}/manifests/{file}", f"pipeline/manifests/{file}", {"resources": sorted(resources)}
    )


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


def image(name: str, prefix: str | None) -> str:
    """With the environment's prefix where the name says no registry."""
    first, slash, _ = name.partition("/")
    says_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return name if says_registry or not prefix else f"{prefix.rstrip('/')}/{name}"


def secret(redis: Redis) -> str | None:
    """The secret with Redis's password."""
    return redis.auth.secret if redis.auth else None


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
