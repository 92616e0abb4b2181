"""A cluster has no databases but the first.

Redis Cluster knows database 0 only. Clients that select another are refused, while KEDA ignores the number and reads
from 0: workers and scaler would not even fail in the same way.

Take `redis.database` out. To separate environments on one cluster give their keys different prefixes.
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
        yield subject.problem("redis.database", "a cluster has only database 0", "take it out, or write `0`")
