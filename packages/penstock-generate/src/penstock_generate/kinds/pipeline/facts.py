"""What manifests and the chart's values both say of a pipeline; so each is worked out once, and they cannot differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from penstock_generate.around import Secret, image, redis_ports, secret
from penstock_generate.kinds.pipeline.dashboard import Drawn
from penstock_generate.kinds.pipeline.worker import Worker
from penstock_generate.plan import DOMAIN, Planned
from penstock_spec.kinds.pipeline.scaler.scaled_object import scaled_object
from penstock_spec.kinds.pipeline.spec import Pipeline
from penstock_spec.platform import Environment


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
            grace_seconds=grace_seconds(spec),
            worker_file=worker.artifact.content,
            digest=worker.digest,
            secret=secret(around.redis),
            makes_authentication=_makes_authentication(around),
            redis_ports=redis_ports(around.redis),
            scaled_object=scaled_object(spec, around),
            rules=rules,
            dashboard=dashboard.compact,
        )


def grace_seconds(spec: Pipeline) -> int:
    """From SIGTERM to SIGKILL, rounded up."""
    return -(-spec.shutdown.grace.amount // 1000)


def _makes_authentication(around: Environment) -> bool:
    auth = around.redis.auth
    return auth is not None and auth.secret is not None and auth.trigger_authentication is None
