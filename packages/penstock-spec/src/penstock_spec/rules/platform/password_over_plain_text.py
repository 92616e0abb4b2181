"""The password of Redis travels in plain text.

`redis.auth.secret` is sent to Redis with every new connection. Without `redis.tls` whoever can read the traffic
between the cluster and this address has the password, and all messages as well.

Set `redis.tls: true`, with the address's TLS port. Addresses inside the Kubernetes cluster, and of the machine
itself, are not asked about: there it is the network of the cluster that must be trusted, or encrypted for everything.
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
    outside = next((one for one in redis.addresses if not _inside(one)), None)
    if outside:
        message = f"`{outside}` is outside the cluster, and `redis.tls` is off"
        yield subject.problem("redis.auth.secret", message, "set `redis.tls: true`, with the TLS port in the address")


def _inside(address: str) -> bool:
    """Whether it is a service of the cluster (`redis`, `redis.media`, `redis.media.svc...`) or this machine."""
    host = address.rpartition(":")[0].lower().strip("[].")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.count(".") <= 1 or host.endswith((".svc", ".local"))
