"""The Kubernetes manifests of an environment: its janitor, and the rules that belong to no pipeline."""

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
"""In a file each, by this name in small letters; none where there is nothing that a janitor looks after."""
RULES = "prometheusrule.yaml"


def emit(it: PlannedEnvironment, templates: Templates) -> Iterator[Artifact]:
    """A file for each, and the list of them."""
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
        "members": it.tended,
        "image": janitor_image(it),
        "secret": secret(it.around.redis),
        "redis_ports": redis_ports(it.around.redis),
        "verbs": verbs(it),
        "rules": groups(it),
    }
    files = sorted([RULES, *(f"{kind.lower()}.yaml" for kind in OF_THE_JANITOR if it.tended)])
    for file in (*files, "kustomization.yaml"):
        name = f"environment/manifests/{file}"
        yield templates.artifact(f"{it.folder}/manifests/{file}", name, {**values, "resources": sorted([*files, FILE])})


def selector() -> dict[str, str]:
    """What tells its pods from others."""
    return {"app.kubernetes.io/name": JANITOR, "app.kubernetes.io/component": "janitor"}


def janitor_image(it: PlannedEnvironment) -> str:
    """What the platform file says, or what `generated/images/janitor.Dockerfile` of this version builds."""
    return image(it.around.janitor.image or f"{JANITOR}:{it.version}", it.around.image_prefix)


def digest(it: PlannedEnvironment) -> str:
    """Of all that the janitor looks at: with another it is started anew."""
    told = "".join(f"{one.name} {one.digest}\n" for one in it.tended)
    return f"sha256:{hashlib.sha256(told.encode()).hexdigest()}"


def verbs(it: PlannedEnvironment) -> list[str]:
    """What it may do with pods."""
    return ["get", "list", *(["patch"] if any(one.patches_pods for one in it.tended) else [])]
