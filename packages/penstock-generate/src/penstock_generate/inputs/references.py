"""What manifests refer to in an environment: images, secrets, ports of Redis, URLs of dashboards and runbooks."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_spec.platform import Environment, Redis

SERVER_PORT = 6379
"""The usual port of servers behind sentinels."""


def image(name: str, prefix: str | None) -> str:
    """The name of an image, with the environment's prefix if the name has no registry."""
    first, slash, _ = name.partition("/")
    has_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return name if has_registry or not prefix else f"{prefix.rstrip('/')}/{name}"


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret with Redis's password."""

    name: str
    key: str


def secret(redis: Redis) -> Secret | None:
    """The secret in Kubernetes; None if Redis needs no password."""
    auth = redis.auth
    return Secret(auth.secret, auth.password_key) if auth and auth.secret else None


def redis_ports(redis: Redis) -> list[int]:
    """The ports of Redis: a network policy cannot name hosts."""
    named = {int(address.rpartition(":")[2]) for address in redis.addresses}
    further = redis.ports or ([SERVER_PORT] if redis.topology == "sentinel" else [])
    return sorted(named.union(further))


def dashboard(around: Environment, uid: str) -> str | None:
    """The URL of a dashboard in Grafana."""
    return f"{str(around.grafana).rstrip('/')}/d/{uid}" if around.grafana else None


def runbook(around: Environment, folder: str) -> str | None:
    """The URL of the runbook for the alerts of a folder of `generated/`."""
    return f"{str(around.runbooks).rstrip('/')}/{folder}/runbook.md" if around.runbooks else None
