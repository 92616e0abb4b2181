"""What manifests and the chart's values both say; so each is worked out once, and they cannot differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.dashboards.drawn import Drawn
from penstock_generate.inputs.plan import DOMAIN, PlannedSpec
from penstock_generate.inputs.references import Secret, image, redis_ports, secret
from penstock_generate.pods.worker import Worker
from penstock_generate.rendering.yaml_text import Written
from penstock_spec.pods import EgressRule
from penstock_spec.values.quantities import Duration


@dataclass(frozen=True, slots=True)
class Pods:
    """What a kind says of the pods of a spec."""

    role: str
    """What they are called beside the spec's name: `worker`."""
    args: tuple[str, ...]
    """Of `penstock`, before the file that they read."""
    replicas: int | None = None
    """How many there are, where nothing scales them."""
    scaled_object: dict[str, Any] | None = None
    """What scales them, where something does, before any patches."""
    makes_authentication: bool = False
    """Whether the scaler's authentication is ours to make."""
    sends_to: tuple[str, ...] = ()
    """Pipelines whose files they read as well."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Of a spec in an environment. Templates know each by its name here."""

    role: str
    args: list[str]
    """Of the container."""
    replicas: int | None
    scaled_object: dict[str, Any] | None
    makes_authentication: bool
    sends_to: list[str]
    labels: dict[str, str]
    """Of everything that belongs to it."""
    selector: dict[str, str]
    """What tells its pods from others. A Deployment's cannot be changed, so it holds what never changes."""
    image: str
    grace_seconds: int
    worker_file: str
    digest: str
    """Of the worker file."""
    secret: Secret | None
    redis_ports: list[int]
    egress: list[dict[str, Any]]
    """Rules of a NetworkPolicy: where pods go besides Redis."""
    rules: Written
    """Groups of them."""
    dashboard: Written
    """As compact JSON."""

    @classmethod
    def of(cls, it: PlannedSpec, pods: Pods, worker: Worker, rules: Written, dashboard: Drawn) -> Self:
        """All of them."""
        spec, around = it.spec, it.around
        selector = {"app.kubernetes.io/name": spec.name, "app.kubernetes.io/component": pods.role}
        return cls(
            role=pods.role,
            args=[*pods.args, "/etc/penstock/worker.json"],
            replicas=pods.replicas,
            scaled_object=pods.scaled_object,
            makes_authentication=pods.makes_authentication,
            sends_to=list(pods.sends_to),
            labels={
                **selector,
                "app.kubernetes.io/part-of": "penstock",
                "app.kubernetes.io/managed-by": "penstock",
                f"{DOMAIN}/team": spec.owner.team,
            },
            selector=selector,
            image=image(spec.image, around.image_prefix),
            grace_seconds=grace_seconds(spec.shutdown.grace),
            worker_file=worker.artifact.content,
            digest=worker.digest,
            secret=secret(around.redis),
            redis_ports=redis_ports(around.redis),
            egress=[_egress(one) for one in spec.egress],
            rules=rules,
            dashboard=dashboard.compact,
        )


def _egress(one: EgressRule) -> dict[str, Any]:
    """As Kubernetes says it: without any peer, it is anywhere."""
    named = {"kubernetes.io/metadata.name": one.namespace}
    to = [
        *([{"ipBlock": {"cidr": one.cidr}}] if one.cidr else []),
        *([{"namespaceSelector": {"matchLabels": named}}] if one.namespace else []),
    ]
    return {**({"to": to} if to else {}), "ports": [{"port": one.port, "protocol": one.protocol}]}


def grace_seconds(grace: Duration) -> int:
    """From SIGTERM to SIGKILL, rounded up."""
    return -(-grace.amount // 1000)
