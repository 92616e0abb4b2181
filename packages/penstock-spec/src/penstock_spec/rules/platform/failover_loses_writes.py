"""A Sentinel failover may lose messages that were acknowledged.

Replication is asynchronous. A master that is cut off from its sentinels and replicas goes on acknowledging writes until
it hears that another one has taken its place, and then throws them away: sent messages are missing, and finished ones
run again. With `min-replicas-to-write`, a master without replicas refuses writes after `min-replicas-max-lag` seconds
(10 by default), so that at most the writes of this time are lost.

Set `min-replicas-to-write 1` and `min-replicas-max-lag` on every server, and `redis.min_replicas: 1` here. Workers
check it when they start (`redis.unreplicated`).
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
    if redis.topology == "sentinel" and redis.min_replicas == 0:
        message = "a master that was replaced goes on acknowledging writes, which are lost"
        hint = "set `min-replicas-to-write 1` on the servers, and `redis.min_replicas: 1` here"
        yield subject.problem("redis.topology", message, hint)
