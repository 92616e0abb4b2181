"""Two environments share one Redis database.

Both name the same server and database, so both use the same keys: workers of one environment receive messages of the
other, without any error. Namespaces do not separate them. Only a short host name such as `redis` is a different server
in each namespace; a name with a dot, such as `redis.media`, or an IP address is the same server everywhere.

Give each environment its own Redis, or at least its own database. Suppress this finding with a reason if the
environments are in two Kubernetes clusters where the same name means two servers, or if every spec has different keys
in each environment.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.platform import Environment
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    for name, other in subject.file.environments.items():
        if name == subject.environment:
            return  # reported at the later of the two environments
        index = _shared_address(subject.platform, other)
        if index is not None:
            line = subject.document.nearest(("environments", name, "redis", "addresses")).line
            message = f"`{name}` uses the same server and database (line {line}), so their workers share the messages"
            own = "a Redis" if subject.platform.redis.topology == "cluster" else "a Redis, or a `redis.database`,"
            yield subject.problem(f"redis.addresses[{index}]", message, f"give this environment {own} of its own")
            return


def _shared_address(environment: Environment, other: Environment) -> int | None:
    """The index of an address that both environments connect to."""
    if (environment.redis.master, environment.redis.database) != (other.redis.master, other.redis.database):
        return None
    theirs = {address.lower() for address in other.redis.addresses}
    for index, address in enumerate(environment.redis.addresses):
        if address.lower() in theirs and (environment.namespace == other.namespace or _same_everywhere(address)):
            return index
    return None


def _same_everywhere(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return "." in host
