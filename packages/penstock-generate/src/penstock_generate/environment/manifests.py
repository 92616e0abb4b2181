"""The Kubernetes manifests of an environment: its janitor, and its alert rules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from penstock_generate.environment.overview import FILE
from penstock_generate.environment.rules import groups
from penstock_generate.inputs.plan import DOMAIN, JANITOR, PlannedEnvironment
from penstock_generate.inputs.references import image, redis_ports, secret
from penstock_generate.rendering.artifact import Artifact
from penstock_generate.rendering.templates import Templates

PORT = 8080
OF_THE_JANITOR = (
    "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "Role", "RoleBinding", "Service",
    "ServiceAccount",
)  # fmt: skip
"""One file each, named after the kind in lower case; none if the janitor has nothing to maintain."""
RULES = "prometheusrule.yaml"


def emit(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """The manifests, and the list of them."""
    values = {
        "name": JANITOR,
        "port": PORT,
        "around": it.around,
        "janitor": it.around.janitor,
        "labels": {
            **selector(),
            "app.kubernetes.io/part-of": "penstock",
            "app.kubernetes.io/managed-by": "penstock",
        },
        "selector": selector(),
        "domain": DOMAIN,
        "digest": digest(it),
        "members": it.maintained,
        "image": janitor_image(it),
        "secret": secret(it.around.redis),
        "certificate": it.around.redis.certificate,
        "redis_ports": redis_ports(it.around.redis),
        "verbs": verbs(it),
        "rules": groups(it),
    }
    files = sorted([RULES, *(f"{kind.lower()}.yaml" for kind in OF_THE_JANITOR if it.maintained)])
    for file in (*files, "kustomization.yaml"):
        name = f"environment/manifests/{file}"
        yield templates.artifact(f"{it.folder}/manifests/{file}", name, {**values, "resources": sorted([*files, FILE])})


def selector() -> dict[str, str]:
    """The labels that select the janitor's pods."""
    return {"app.kubernetes.io/name": JANITOR, "app.kubernetes.io/component": "janitor"}


def janitor_image(it: PlannedEnvironment) -> str:
    """The image in the platform file, or the one that `generated/images/janitor.Dockerfile` of this version builds."""
    return image(it.around.janitor.image or f"{JANITOR}:{it.version}", it.around.image_prefix)


def digest(it: PlannedEnvironment) -> str:
    """The digest of everything that the janitor reads; a change restarts it."""
    digests = "".join(f"{one.name} {one.digest}\n" for one in it.maintained)
    return f"sha256:{hashlib.sha256(digests.encode()).hexdigest()}"


def verbs(it: PlannedEnvironment) -> list[str]:
    """The janitor's rights on pods."""
    return ["get", "list", *(["patch"] if any(one.patches_pods for one in it.maintained) else [])]
