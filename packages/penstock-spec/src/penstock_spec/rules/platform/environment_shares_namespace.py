"""Two environments are one and the same place.

Both have the same namespace and the same Redis: servers, master and database. What is generated for one overwrites
the other in the cluster, and both use the same keys, so that the workers of one take the messages of the other.

Give each environment a namespace of its own, and a Redis or at least a database of its own. Two environments in two
Kubernetes clusters, where the same names mean different things, can suppress this with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.findings import Severity
from penstock_spec.platform import Redis
from penstock_spec.reading import Found
from penstock_spec.rules.define import platform_rule
from penstock_spec.subject import PlatformSubject


@platform_rule(Severity.WARNING)
def rule(it: PlatformSubject) -> Iterator[Found]:
    """Same names, same things."""
    for name, other in it.whole.environments.items():
        if name == it.environment:
            return  # told at the later of two
        if other.namespace == it.platform.namespace and _place(other.redis) == _place(it.platform.redis):
            says = f"`{name}` has this namespace and this Redis too ({_line(it, name)})"
            yield it.problem("namespace", says, "give this environment a namespace and a Redis of its own")
            return


def _place(redis: Redis) -> tuple[list[str], str | None, int]:
    return sorted(redis.addresses), redis.master, redis.database


def _line(it: PlatformSubject, name: str) -> str:
    return f"line {it.document.nearest(('environments', name, 'namespace')).line}"
