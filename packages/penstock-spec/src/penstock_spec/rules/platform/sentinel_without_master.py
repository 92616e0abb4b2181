"""The name of the Sentinel master is missing.

Sentinels can watch several masters and know each by a name. Without `redis.master`, neither workers nor KEDA can ask
for the address of the server, and nothing connects.

Set `redis.master` to the name in the sentinels' configuration (`sentinel monitor <name> ...`).
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
    if redis.topology == "sentinel" and redis.master is None:
        message = "`sentinel` needs the name of the master, but `redis.master` is missing"
        yield subject.problem("redis.topology", message, "add the master's name, such as `master: media`")
