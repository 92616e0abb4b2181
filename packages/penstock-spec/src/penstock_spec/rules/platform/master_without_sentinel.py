"""A Sentinel master is named, but the topology is not `sentinel`.

`redis.master` is the name by which sentinels know a master. With any other topology, clients connect to
`redis.addresses` directly and the name has no effect.

Remove `redis.master`, or set `redis.topology: sentinel` if the addresses are those of sentinels.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.INFO)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.master is not None and redis.topology != "sentinel":
        message = f"the topology is `{redis.topology}`, which does not use it"
        yield subject.problem("redis.master", message, "remove `master`, or set `topology: sentinel`")
