"""A master is named where no sentinel is asked for it.

`redis.master` is the name under which sentinels know a master. With another topology clients connect to
`redis.addresses` themselves, and the name says nothing.

Take it out, or set `redis.topology: sentinel` if the addresses are those of sentinels.
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
        message = f"the topology is `{redis.topology}`, where nobody asks for it"
        yield subject.problem("redis.master", message, "take it out, or write `topology: sentinel`")
