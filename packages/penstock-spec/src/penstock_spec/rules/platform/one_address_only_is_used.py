"""Redis addresses are listed that are never used.

With `topology: standalone` there is one server. KEDA and the workers use the first address; the others look like a
failover, but nothing connects to them.

Keep one address. If the others are nodes of a cluster, or sentinels, set `redis.topology`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.WARNING)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.topology == "standalone" and len(redis.addresses) > 1:
        message = f"`standalone` is one server; only `{redis.addresses[0]}` is used"
        hint = "remove the address, or set `topology: cluster` or `topology: sentinel`"
        yield subject.problem("redis.addresses[1]", message, hint)
