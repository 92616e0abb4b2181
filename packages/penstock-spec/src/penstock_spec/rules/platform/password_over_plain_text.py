"""The Redis password is sent unencrypted.

Every new connection sends the password in `redis.auth.secret` to Redis. Without `redis.tls`, anyone who can read the
traffic between the cluster and this address can read the password and all messages.

Set `redis.tls: true` and use the address's TLS port. Addresses inside the Kubernetes cluster and on the same machine
are not checked: trust in the cluster's network, or its encryption, applies to all traffic in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.tls or redis.auth is None or redis.auth.secret is None:
        return
    outside = next((address for address in redis.addresses if not _is_inside(address)), None)
    if outside:
        message = f"`{outside}` is outside the cluster and `redis.tls` is off"
        yield subject.problem("redis.auth.secret", message, "set `redis.tls: true` and use the TLS port in the address")


def _is_inside(address: str) -> bool:
    """True for a service in the cluster (`redis`, `redis.media`, `redis.media.svc...`) and for this machine."""
    host = address.rpartition(":")[0].lower().strip("[].")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.count(".") <= 1 or host.endswith((".svc", ".local"))
