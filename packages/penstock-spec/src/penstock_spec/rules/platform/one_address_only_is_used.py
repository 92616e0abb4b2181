"""Addresses are listed that nobody connects to.

With `topology: standalone` there is one server. KEDA takes the first address, and so do the workers; the others look
like a reserve that would be used, and never are.

Name one address. Where the others are nodes of a cluster, or sentinels, say so in `redis.topology`.
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
        message = f"`standalone` is one server, and only `{redis.addresses[0]}` is used"
        hint = "take it out, or write `topology: cluster` or `topology: sentinel`"
        yield subject.problem("redis.addresses[1]", message, hint)
