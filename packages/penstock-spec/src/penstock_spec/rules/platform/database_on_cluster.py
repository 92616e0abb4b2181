"""A database number is set for a Redis Cluster.

Redis Cluster has only database 0. Clients that select another one are refused, while KEDA ignores the number and reads
from 0: workers and scaler would not even fail in the same way.

Remove `redis.database`. To separate environments on one cluster, give their keys different prefixes.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    redis = subject.platform.redis
    if redis.topology == "cluster" and redis.database:
        yield subject.problem(
            "redis.database", "Redis Cluster has only database 0", "remove `database`, or set it to `0`"
        )
