"""What manifests refer to in an environment: images, secrets, ports of Redis, URLs of dashboards and runbooks."""

from __future__ import annotations

from dataclasses import dataclass

from penstock_spec.platform import Environment, Redis

SERVER_PORT = 6379
"""Where a server usually is that sentinels name."""


def image(name: str, prefix: str | None) -> str:
    """With the environment's prefix where the name says no registry."""
    first, slash, _ = name.partition("/")
    says_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return name if says_registry or not prefix else f"{prefix.rstrip('/')}/{name}"


@dataclass(frozen=True, slots=True)
class Secret:
    """Where Redis's password is."""

    name: str
    key: str


def secret(redis: Redis) -> Secret | None:
    """Where that is in Kubernetes; nothing where nobody must authenticate."""
    auth = redis.auth
    return Secret(auth.secret, auth.password_key) if auth and auth.secret else None


def redis_ports(redis: Redis) -> list[int]:
    """Where it is reached: a network policy knows no host names."""
    named = {int(address.rpartition(":")[2]) for address in redis.addresses}
    further = redis.ports or ([SERVER_PORT] if redis.topology == "sentinel" else [])
    return sorted(named.union(further))


def dashboard(around: Environment, uid: str) -> str | None:
    """The address of a dashboard in Grafana."""
    return f"{str(around.grafana).rstrip('/')}/d/{uid}" if around.grafana else None


def runbook(around: Environment, folder: str) -> str | None:
    """The address of the page that explains the alerts of a folder of `generated/`."""
    return f"{str(around.runbooks).rstrip('/')}/{folder}/runbook.md" if around.runbooks else None
