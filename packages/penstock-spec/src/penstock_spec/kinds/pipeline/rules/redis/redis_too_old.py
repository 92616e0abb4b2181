"""Redis is older than the commands that workers need.

Penstock's scripts use what Redis has since 6.2: taking over a page of messages, asking for pending messages of one
consumer by their idle time, making a consumer, trimming by the lowest unfinished message. On an older server the
first take-over fails, and the messages of a lost worker stay with it.

Run Redis 6.2 or later, or any Valkey. Where it already is, set `versions.redis` in the platform file to what `INFO
server` tells as `redis_version`.
"""

from __future__ import annotations

from collections.abc import Iterator

from penstock_spec.context import EnvironmentContext
from penstock_spec.findings import Severity
from penstock_spec.reading import Problem
from penstock_spec.rules.define import platform_rule
from penstock_spec.values.quantities import Version

OLDEST = Version("6.2")


@platform_rule(Severity.ERROR)
def rule(subject: EnvironmentContext) -> Iterator[Problem]:
    version = subject.platform.versions.redis
    if version < OLDEST:
        message = f"Redis {version} lacks commands that workers and janitor need, such as XAUTOCLAIM"
        yield subject.problem("versions.redis", message, f"run Redis `{OLDEST}` or later, and say its version here")
