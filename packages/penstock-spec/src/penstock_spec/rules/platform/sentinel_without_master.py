"""The sentinels are not asked for any master.

Sentinels may watch several masters and know each by a name. Without `redis.master` neither workers nor KEDA can ask
which server to talk to, and nothing connects.

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
        message = "`sentinel` needs the name of the master, and `redis.master` is missing"
        yield subject.problem("redis.topology", message, "add `master` beside it, such as `master: media`")
