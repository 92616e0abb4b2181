"""What manifests and the chart's values both say of a pipeline; so each is worked out once, and they cannot differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.kinds.pipeline.dashboard import Drawn
from penstock_generate.kinds.pipeline.worker import Worker
from penstock_generate.plan import DOMAIN, Planned
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment


@dataclass(frozen=True, slots=True)
class Secret:
    """Where Redis's password is."""

    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Of a pipeline in an environment. Templates know each by its name here."""

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
    makes_authentication: bool
    """Whether the scaler's authentication is ours to make."""
    redis_ports: list[int]
    scaled_object: dict[str, Any]
    """Before any patches."""
    rules: list[dict[str, Any]]
    """Groups of them."""
    dashboard: str
    """As compact JSON."""

    @classmethod
    def of(cls, it: Planned, worker: Worker, rules: list[dict[str, Any]], dashboard: Drawn) -> Self:
        """All of them."""
        spec: Pipeline = it.spec
        around = it.around
        selector = {"app.kubernetes.io/name": spec.name, "app.kubernetes.io/component": "worker"}
        return cls(
            labels={
                **selector,
                "app.kubernetes.io/part-of": "penstock",
                "app.kubernetes.io/managed-by": "penstock",
                f"{DOMAIN}/team": spec.owner.team,
            },
            selector=selector,
            image=image(spec.image, around.image_prefix),
            grace_seconds=-(-spec.shutdown.grace.amount // 1000),
            worker_file=worker.artifact.content,
            digest=worker.digest,
            secret=_secret(around),
            makes_authentication=_makes_authentication(around),
            redis_ports=sorted({int(address.rpartition(":")[2]) for address in around.redis.addresses}),
            scaled_object=scaled_object(spec, around),
            rules=rules,
            dashboard=dashboard.compact,
        )


def image(name: str, prefix: str | None) -> str:
    """With the environment's prefix where the name says no registry."""
    first, slash, _ = name.partition("/")
    says_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return name if says_registry or not prefix else f"{prefix.rstrip('/')}/{name}"


def _secret(around: Environment) -> Secret | None:
    auth = around.redis.auth
    return Secret(auth.secret, auth.password_key) if auth and auth.secret else None


def _makes_authentication(around: Environment) -> bool:
    auth = around.redis.auth
    return auth is not None and auth.secret is not None and auth.trigger_authentication is None
