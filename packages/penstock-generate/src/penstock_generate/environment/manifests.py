"""The Kubernetes manifests of an environment: its janitor, and the rules that belong to no pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from penstock_generate.around import image, redis_ports, secret
from penstock_generate.artifact import Artifact
from penstock_generate.environment.overview import FILE
from penstock_generate.environment.rules import groups
from penstock_generate.plan import DOMAIN, Whole
from penstock_generate.rendering import Templates

NAME = "penstock-janitor"
"""Of all that is the janitor's; the scaler asks for the age of a message under this name."""
PORT = 8080
KINDS = (
    "Deployment", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule", "Role", "RoleBinding",
    "Service", "ServiceAccount",
)  # fmt: skip
"""In a file each, by this name in small letters."""


def emit(it: Whole, templates: Templates) -> Iterator[Artifact]:
    """A file for each, and the list of them."""
    values = {
        "name": NAME,
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
        "members": it.members,
        "image": janitor_image(it),
        "secret": secret(it.around.redis),
        "redis_ports": redis_ports(it.around.redis),
        "verbs": verbs(it),
        "rules": groups(it),
    }
    files = [f"{kind.lower()}.yaml" for kind in KINDS]
    for file in (*files, "kustomization.yaml"):
        name = f"environment/manifests/{file}"
        yield templates.artifact(f"{it.folder}/manifests/{file}", name, {**values, "resources": sorted([*files, FILE])})


def selector() -> dict[str, str]:
    """What tells its pods from others."""
    return {"app.kubernetes.io/name": NAME, "app.kubernetes.io/component": "janitor"}


def janitor_image(it: Whole) -> str:
    """What the platform file says, or what `generated/images/janitor.Dockerfile` of this version builds."""
    return image(it.around.janitor.image or f"{NAME}:{it.version}", it.around.image_prefix)


def digest(it: Whole) -> str:
    """Of all that the janitor looks at: with another it is started anew."""
    told = "".join(f"{one.name} {one.digest}\n" for one in it.members)
    return f"sha256:{hashlib.sha256(told.encode()).hexdigest()}"


def verbs(it: Whole) -> list[str]:
    """What it may do with pods."""
    return ["get", "list", *(["patch"] if any(one.patches_pods for one in it.members) else [])]
